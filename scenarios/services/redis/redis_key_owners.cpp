#include "scenarios/services/redis/redis_key_owners.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kWithoutEnd = std::numeric_limits<std::int64_t>::max();
// Tells whether owners share, and owns nothing.
const std::uint64_t kModeField = hash_of("mode");

// A server counts in whole milliseconds, so the same deadline reads a little differently at each instant.
bool same_deadline(std::int64_t a, std::int64_t b) {
  if (a == kNoTime || a == kWithoutEnd || b == kWithoutEnd) return a == b;
  return std::max(a, b) - std::min(a, b) < milliseconds(1).ns;
}

}  // namespace

std::int64_t RedisKeyOwners::promise(std::int64_t time, std::int64_t ttl_ms) const {
  if (rule_ == RedisOwnership::stamp) return lease_ ? time + lease_->ns : kWithoutEnd;
  return ttl_ms < 0 ? kWithoutEnd : time + milliseconds(ttl_ms).ns;
}

inline void RedisKeyOwners::say(GrantChange change, HoldId hold, HoldId by, std::int64_t time, std::int64_t until,
                                std::vector<GrantEvent>& changes, GrantEnd cause) const {
  changes.emplace_back(
      GrantEvent{time, until, 0, hold, by, change, change == GrantChange::end ? cause : GrantEnd::unknown});
}

inline void RedisKeyOwners::add(GrantChange change, HoldId by, std::int64_t time, std::int64_t until,
                                std::vector<GrantEvent>& changes, GrantEnd cause) const {
  say(change, owner_, by, time, until, changes, cause);
}

void RedisKeyOwners::timed_anew(HoldId hold, HoldId by, bool own, const Timing& timing,
                                std::vector<GrantEvent>& changes) const {
  const auto& [time, before, until] = timing;
  if (!own && same_deadline(before, until)) return;
  if (!own) {
    const bool anew = lease_ && until - time > lease_->ns - milliseconds(1).ns;  // servers count whole milliseconds
    const bool renews = until > before || anew;
    say(renews ? GrantChange::wrong_renewal : GrantChange::wrong_release, hold, by, time, renews ? until : kNoTime,
        changes);
  }
  say(GrantChange::extend, hold, by, time, until, changes);
}

void RedisKeyOwners::reset() {
  owner_ = kNoHold;
  fields_.clear();
  unclaimed_.clear();
  data_.reset();
  counted_up_ = 0;
  until_ = kNoTime;
  stamp_ms_ = next_stamp_ms_ = 0;
  to_load_ = 0;
  reloaded_ = false;
}

void RedisKeyOwners::copy_owners(const RedisKeyOwners& master) {
  owner_ = master.owner_;
  fields_ = master.fields_;
  data_ = master.data_;
  until_ = master.until_;
  stamp_ms_ = master.stamp_ms_;
}

void RedisKeyOwners::begin(HoldId hold, std::int64_t time, std::int64_t until, std::vector<GrantEvent>& changes) {
  owner_ = hold;
  until_ = until;
  if (owner_ != kNoHold) add(GrantChange::begin, hold, time, until, changes);
}

// A restart: what is not loaded again is gone.
void RedisKeyOwners::loaded(std::int64_t time, std::vector<GrantEvent>& changes) {
  if (reloaded_) return;
  end_fields({}, GrantEnd::lost, time, changes);
  data_.end_all({}, GrantEnd::lost, time, changes);
  if (owner_ == kNoHold) return;
  add(GrantChange::end, kNoHold, time, kNoTime, changes, GrantEnd::lost);
  owner_ = kNoHold;
}

void RedisKeyOwners::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& changes) {
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
    case trace::redis_field_number:
    case trace::redis_field_text:
    case trace::redis_field_removed:
      if (of_fields()) {
        unclaimed_.push_back({r.b, static_cast<std::int64_t>(r.c), by.hold, r.kind});
      }
      return;
    case trace::lease_in_data:
    case trace::lease_gone:
      if (of_data()) data_.note(r);
      return;
    case trace::redis_key_changed:
      if (of_data()) {
        if (r.b == key_) data_changed(r, by, changes);
        data_.forget_noted();
      } else if (r.b == key_ && of_fields()) {
        hash_changed(r, by, changes);
      } else if (rule_ == RedisOwnership::timed_fields) {
        timer_changed(r, by, changes);
      } else if (r.b == key_) {
        key_changed(r, by, changes);
      }
      unclaimed_.clear();
      return;
    default:
      return;
  }
}

inline void RedisKeyOwners::key_changed(const TraceRecord& r, const Provenance& p, std::vector<GrantEvent>& changes) {
  const auto change = static_cast<KeyChange>(trace::redis_change_what(r.c));
  const HoldId by = p.hold;
  const std::int64_t until = promise(r.time, trace::redis_change_ttl_ms(r.c));
  const std::int64_t old_stamp = stamp_ms_;
  stamp_ms_ = next_stamp_ms_;
  if (p.force) {  // declared force ends the old hold in any case
    if (owner_ != kNoHold) add(GrantChange::forced, by, r.time, kNoTime, changes);
    owner_ = kNoHold;
    return;
  }
  switch (change) {
    case KeyChange::set:
      return begin(by, r.time, until, changes);
    case KeyChange::overwritten: {
      if (by == owner_) {
        const std::int64_t before = std::exchange(until_, until);
        const bool keeps_its_time = until != kWithoutEnd && same_deadline(before, until);  // KEEPTTL keeps the deadline
        if (!keeps_its_time) add(GrantChange::extend, by, r.time, until, changes);
        return;
      }
      const bool stamp_was_valid = rule_ == RedisOwnership::stamp && old_stamp > p.wall.ns / 1'000'000;
      if (stamp_was_valid && owner_ != kNoHold) {  // a loser's GETSET pushes the holder's stamp
        until_ = until;
        add(GrantChange::wrong_renewal, by, r.time, until, changes);
        return add(GrantChange::extend, by, r.time, until, changes);
      }
      if (owner_ != kNoHold) {
        if (rule_ == RedisOwnership::key) add(GrantChange::wrong_release, by, r.time, kNoTime, changes);
        add(GrantChange::end, by, r.time, kNoTime, changes, GrantEnd::overwritten);
      }
      return begin(by, r.time, until, changes);
    }
    case KeyChange::ttl_set: {
      const std::int64_t before = std::exchange(until_, until);
      if (owner_ != kNoHold) timed_anew(owner_, by, by == owner_, {r.time, before, until}, changes);
      return;
    }
    case KeyChange::changed:  // INCR, APPEND, SETRANGE leave the deadline as it is, and promise nothing
      return;
    case KeyChange::decremented:
      if (owner_ == kNoHold || by == owner_) return;
      return add(GrantChange::wrong_release, by, r.time, kNoTime, changes);
    case KeyChange::deleted: {
      if (owner_ == kNoHold) return;
      // A stamp that has run out promises nothing: who clears it away takes nothing.
      const bool stale = rule_ == RedisOwnership::stamp && by != owner_ && r.time >= until_;
      if (by != owner_ && !stale) add(GrantChange::wrong_release, by, r.time, kNoTime, changes);
      add(by == owner_ ? GrantChange::released : GrantChange::end, by, r.time, kNoTime, changes, GrantEnd::deleted);
      owner_ = kNoHold;
      return;
    }
    case KeyChange::expired:
      if (owner_ == kNoHold) return;
      add(GrantChange::end, kNoHold, r.time, kNoTime, changes, GrantEnd::expired);
      owner_ = kNoHold;
      return;
  }
}

void RedisKeyOwners::data_changed(const TraceRecord& r, const Provenance& p, std::vector<GrantEvent>& changes) {
  switch (static_cast<KeyChange>(trace::redis_change_what(r.c))) {
    case KeyChange::deleted:
      return data_.end_all(p, GrantEnd::deleted, r.time, changes);
    case KeyChange::expired:
      return data_.end_all({}, GrantEnd::expired, r.time, changes);
    default:
      return data_.apply(p, r.time, changes);
  }
}

// --- a hash: each field owns for the hold that made it exist ---------------------------------------

bool RedisKeyOwners::owns_a_field(HoldId hold) const {
  return std::any_of(fields_.begin(), fields_.end(), [&](const FieldOwner& o) { return o.hold == hold; });
}

void RedisKeyOwners::hash_changed(const TraceRecord& r, const Provenance& p, std::vector<GrantEvent>& changes) {
  const auto change = static_cast<KeyChange>(trace::redis_change_what(r.c));
  const std::int64_t until = promise(r.time, trace::redis_change_ttl_ms(r.c));
  counted_up_ = 0;
  if (change == KeyChange::deleted || change == KeyChange::expired || p.force) {
    return end_fields(p, change == KeyChange::expired ? GrantEnd::expired : GrantEnd::deleted, r.time, changes);
  }
  // A command that replaces the key as a whole shows the fields that it has now.
  if (change == KeyChange::overwritten) end_fields(p, GrantEnd::overwritten, r.time, changes);
  for (const FieldChange& f : unclaimed_) field_changed(f, r, until, changes);
  const std::int64_t before = std::exchange(until_, until);
  if (change != KeyChange::ttl_set) return;
  // The deadline is the key's, and so every owner's that has no timers; each owner may set it.
  const bool an_owners = owns_a_field(p.hold);
  for (const FieldOwner& o : fields_) {
    if (!o.timed) timed_anew(o.hold, p.hold, an_owners, {r.time, before, until}, changes);
  }
}

void RedisKeyOwners::field_changed(const FieldChange& f, const TraceRecord& r, std::int64_t until,
                                   std::vector<GrantEvent>& changes) {
  if (f.field == kModeField) return;
  const auto is_it = [&](const FieldOwner& o) { return o.field == f.field; };
  const auto owner = std::find_if(fields_.begin(), fields_.end(), is_it);
  const bool counts = f.kind == trace::redis_field_number;
  if (f.kind != trace::redis_field_removed) {
    const std::int64_t count = counts ? f.number : 1;
    if (owner == fields_.end() || count > owner->count) counted_up_ = f.field;
    if (owner == fields_.end()) {
      const bool has_another = owns_a_field(f.by);  // a writer that reads as well
      fields_.push_back({f.field, count, f.by});
      return say(has_another ? GrantChange::extend : GrantChange::begin, f.by, f.by, r.time, until, changes);
    }
    const bool fewer = count < owner->count;
    owner->count = count;
    if (fewer && owner->hold != f.by) say(GrantChange::wrong_release, owner->hold, f.by, r.time, kNoTime, changes);
    return;
  }
  if (owner == fields_.end()) return;
  const bool own = owner->hold == f.by;
  if (!own && !owner->over(r.time)) say(GrantChange::wrong_release, owner->hold, f.by, r.time, kNoTime, changes);
  const HoldId hold = owner->hold;
  fields_.erase(owner);
  if (!owns_a_field(hold)) {
    say(own ? GrantChange::released : GrantChange::end, hold, f.by, r.time, kNoTime, changes, GrantEnd::deleted);
  }
}

std::int64_t RedisKeyOwners::FieldOwner::promised() const {
  std::int64_t first = kWithoutEnd;
  for (const Timer& t : timers) first = std::min(first, t.until);
  return first;
}

std::int64_t RedisKeyOwners::FieldOwner::named() const {
  std::int64_t last = kNoTime;
  for (const Timer& t : timers) last = std::max(last, t.until);
  return last;
}

// A key other than the lock's: the timer of the acquisition just counted, or one that is known.
void RedisKeyOwners::timer_changed(const TraceRecord& r, const Provenance& p, std::vector<GrantEvent>& changes) {
  const auto change = static_cast<KeyChange>(trace::redis_change_what(r.c));
  const std::int64_t until = promise(r.time, trace::redis_change_ttl_ms(r.c));
  const bool set = change == KeyChange::set || change == KeyChange::overwritten;
  for (FieldOwner& o : fields_) {
    const auto timer = std::find_if(o.timers.begin(), o.timers.end(), [&](const Timer& t) { return t.key == r.b; });
    const bool known = timer != o.timers.end();
    if (!known && !(set && o.field == counted_up_)) continue;
    // The timer of an inner acquisition prolongs no other's, so it adds nothing to what the hold was promised.
    const std::int64_t before = o.timers.empty() ? kNoTime : o.promised();
    if (change == KeyChange::deleted) {
      o.timers.erase(timer);
    } else if (set || change == KeyChange::ttl_set) {
      if (!known) o.timers.push_back({r.b, until});
      if (known) timer->until = until;
      o.timed = true;
      if (o.hold != p.hold) say(GrantChange::wrong_renewal, o.hold, p.hold, r.time, until, changes);
    }
    if (!o.timers.empty() && o.promised() != before) {
      say(GrantChange::extend, o.hold, p.hold, r.time, o.promised(), changes);
    }
    if (set) counted_up_ = 0;
    return;
  }
}

void RedisKeyOwners::end_fields(const Provenance& p, GrantEnd cause, std::int64_t time,
                                std::vector<GrantEvent>& changes) {
  const bool by_command = cause == GrantEnd::deleted || cause == GrantEnd::overwritten;
  for (const FieldOwner& o : fields_) {
    const bool own = by_command && o.hold == p.hold;
    if (by_command && p.force) {
      say(GrantChange::forced, o.hold, p.hold, time, kNoTime, changes);
      continue;
    }
    if (by_command && !own && !o.over(time)) say(GrantChange::wrong_release, o.hold, p.hold, time, kNoTime, changes);
    say(own ? GrantChange::released : GrantChange::end, o.hold, by_command ? p.hold : kNoHold, time, kNoTime, changes,
        cause);
  }
  fields_.clear();
}

}  // namespace picklock
