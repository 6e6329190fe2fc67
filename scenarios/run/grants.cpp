#include "scenarios/run/grants.hpp"

#include <limits>

#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kWithoutEnd = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t GrantJudge::promise(std::int64_t time, std::int64_t ttl_ms) const {
  if (rule_ == Ownership::redis_stamp) return lease_ ? time + lease_->ns : kWithoutEnd;
  return ttl_ms < 0 ? kWithoutEnd : time + milliseconds(ttl_ms).ns;
}

void GrantJudge::add(GrantChange change, HoldId by, std::int64_t time, std::int64_t until,
                     std::vector<GrantEvent>& grants, std::uint32_t& index) {
  GrantEvent e;
  e.time = time;
  e.until = until;
  e.index = index++;
  e.hold = owner_;
  e.by = by;
  e.change = change;
  grants.push_back(e);
}

void GrantJudge::begin(HoldId hold, std::int64_t time, std::int64_t until, std::vector<GrantEvent>& grants,
                       std::uint32_t& index) {
  owner_ = hold;
  until_ = until;
  if (owner_ != kNoHold) add(GrantChange::begin, hold, time, until, grants, index);
}

void GrantJudge::see(const TraceRecord& r, WallTime wall_of_client, std::vector<GrantEvent>& grants,
                     std::uint32_t& index) {
  if (r.kind == trace::redis_loaded) {  // a restart: what is not loaded again is gone
    awaiting_reload_ = owner_ != kNoHold;
    if (awaiting_reload_ && r.a == 0) {
      add(GrantChange::end, kNoHold, r.time, kNoTime, grants, index);
      owner_ = kNoHold;
      awaiting_reload_ = false;
    }
    return;
  }
  if (r.kind == trace::redis_key_loaded) {
    if (r.b == key_) awaiting_reload_ = false;
    return;
  }
  if (r.kind != trace::redis_key_value && r.kind != trace::redis_key_changed) return;
  if (awaiting_reload_) {  // the first command after a load that did not bring the key back
    awaiting_reload_ = false;
    add(GrantChange::end, kNoHold, r.time, kNoTime, grants, index);
    owner_ = kNoHold;
  }
  if (r.b != key_) return;
  if (r.kind == trace::redis_key_value) {
    next_stamp_ms_ = static_cast<std::int64_t>(r.c);
    return;
  }
  const auto change = static_cast<KeyChange>(r.c & 0xff);
  const std::int64_t ttl_ms = static_cast<std::int64_t>(r.c) >> 8;
  const HoldId by = r.a;
  const std::int64_t until = promise(r.time, ttl_ms);
  const std::int64_t old_stamp = stamp_ms_;
  stamp_ms_ = next_stamp_ms_;
  switch (change) {
    case KeyChange::set: return begin(by, r.time, until, grants, index);
    case KeyChange::overwritten: {
      if (by == owner_) {
        until_ = until;
        return add(GrantChange::extend, by, r.time, until, grants, index);
      }
      const bool stamp_was_valid = rule_ == Ownership::redis_stamp && old_stamp > wall_of_client.ns / 1'000'000;
      if (stamp_was_valid && owner_ != kNoHold) {  // a loser's GETSET pushes the holder's stamp
        until_ = until;
        add(GrantChange::wrong_renewal, by, r.time, until, grants, index);
        return add(GrantChange::extend, by, r.time, until, grants, index);
      }
      if (owner_ != kNoHold) {
        if (rule_ == Ownership::redis_key) add(GrantChange::wrong_release, by, r.time, kNoTime, grants, index);
        add(GrantChange::end, by, r.time, kNoTime, grants, index);
      }
      return begin(by, r.time, until, grants, index);
    }
    case KeyChange::ttl_set:
    case KeyChange::changed:
      if (owner_ == kNoHold) return;
      until_ = until;
      if (by != owner_) add(GrantChange::wrong_renewal, by, r.time, until, grants, index);
      return add(GrantChange::extend, by, r.time, until, grants, index);
    case KeyChange::decremented:
      if (owner_ == kNoHold || by == owner_) return;
      return add(GrantChange::wrong_release, by, r.time, kNoTime, grants, index);
    case KeyChange::deleted: {
      if (owner_ == kNoHold) return;
      // A stamp that has run out promises nothing: who clears it away takes nothing.
      const bool stale = rule_ == Ownership::redis_stamp && by != owner_ && r.time >= until_;
      if (by != owner_ && !stale) add(GrantChange::wrong_release, by, r.time, kNoTime, grants, index);
      add(by == owner_ ? GrantChange::released : GrantChange::end, by, r.time, kNoTime, grants, index);
      owner_ = kNoHold;
      return;
    }
    case KeyChange::expired:
      if (owner_ == kNoHold) return;
      add(GrantChange::end, kNoHold, r.time, kNoTime, grants, index);
      owner_ = kNoHold;
      return;
  }
}

}  // namespace picklock
