#include "scenarios/run/key_owners.hpp"

#include <limits>

#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kWithoutEnd = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t KeyOwners::promise(std::int64_t time, std::int64_t ttl_ms) const {
  if (rule_ == Ownership::redis_stamp) return lease_ ? time + lease_->ns : kWithoutEnd;
  return ttl_ms < 0 ? kWithoutEnd : time + milliseconds(ttl_ms).ns;
}

void KeyOwners::add(GrantChange change, HoldId by, std::int64_t time, std::int64_t until,
                    std::vector<GrantEvent>& changes) const {
  GrantEvent e;
  e.time = time;
  e.until = until;
  e.hold = owner_;
  e.by = by;
  e.change = change;
  changes.push_back(e);
}

void KeyOwners::begin(HoldId hold, std::int64_t time, std::int64_t until, std::vector<GrantEvent>& changes) {
  owner_ = hold;
  until_ = until;
  if (owner_ != kNoHold) add(GrantChange::begin, hold, time, until, changes);
}

// A restart: what is not loaded again is gone.
void KeyOwners::loaded(std::int64_t time, std::vector<GrantEvent>& changes) {
  if (reloaded_ || owner_ == kNoHold) return;
  add(GrantChange::end, kNoHold, time, kNoTime, changes);
  owner_ = kNoHold;
}

void KeyOwners::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& changes) {
  switch (r.kind) {
    case trace::redis_loaded:
      to_load_ = r.a;
      reloaded_ = false;
      if (to_load_ == 0) loaded(r.time, changes);
      return;
    case trace::redis_key_loaded:
      reloaded_ = reloaded_ || r.b == key_;
      if (to_load_ > 0 && --to_load_ == 0) loaded(r.time, changes);
      return;
    case trace::redis_key_value:
      if (r.b == key_) next_stamp_ms_ = static_cast<std::int64_t>(r.c);
      return;
    case trace::redis_key_changed:
      if (r.b == key_) key_changed(r, by, changes);
      return;
    default: return;
  }
}

void KeyOwners::key_changed(const TraceRecord& r, const Provenance& p, std::vector<GrantEvent>& changes) {
  const auto change = static_cast<KeyChange>(trace::redis_change_what(r.c));
  const HoldId by = p.hold;
  const std::int64_t until = promise(r.time, trace::redis_change_ttl_ms(r.c));
  const std::int64_t old_stamp = stamp_ms_;
  stamp_ms_ = next_stamp_ms_;
  if (p.force) {  // whatever it does, the hold that was there is over by declared force
    if (owner_ != kNoHold) add(GrantChange::forced, by, r.time, kNoTime, changes);
    owner_ = kNoHold;
    return;
  }
  switch (change) {
    case KeyChange::set: return begin(by, r.time, until, changes);
    case KeyChange::overwritten: {
      if (by == owner_) {
        until_ = until;
        return add(GrantChange::extend, by, r.time, until, changes);
      }
      const bool stamp_was_valid = rule_ == Ownership::redis_stamp && old_stamp > p.wall.ns / 1'000'000;
      if (stamp_was_valid && owner_ != kNoHold) {  // a loser's GETSET pushes the holder's stamp
        until_ = until;
        add(GrantChange::wrong_renewal, by, r.time, until, changes);
        return add(GrantChange::extend, by, r.time, until, changes);
      }
      if (owner_ != kNoHold) {
        if (rule_ == Ownership::redis_key) add(GrantChange::wrong_release, by, r.time, kNoTime, changes);
        add(GrantChange::end, by, r.time, kNoTime, changes);
      }
      return begin(by, r.time, until, changes);
    }
    case KeyChange::ttl_set:
    case KeyChange::changed:
      if (owner_ == kNoHold) return;
      until_ = until;
      if (by != owner_) add(GrantChange::wrong_renewal, by, r.time, until, changes);
      return add(GrantChange::extend, by, r.time, until, changes);
    case KeyChange::decremented:
      if (owner_ == kNoHold || by == owner_) return;
      return add(GrantChange::wrong_release, by, r.time, kNoTime, changes);
    case KeyChange::deleted: {
      if (owner_ == kNoHold) return;
      // A stamp that has run out promises nothing: who clears it away takes nothing.
      const bool stale = rule_ == Ownership::redis_stamp && by != owner_ && r.time >= until_;
      if (by != owner_ && !stale) add(GrantChange::wrong_release, by, r.time, kNoTime, changes);
      add(by == owner_ ? GrantChange::released : GrantChange::end, by, r.time, kNoTime, changes);
      owner_ = kNoHold;
      return;
    }
    case KeyChange::expired:
      if (owner_ == kNoHold) return;
      add(GrantChange::end, kNoHold, r.time, kNoTime, changes);
      owner_ = kNoHold;
      return;
  }
}

}  // namespace picklock
