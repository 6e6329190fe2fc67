#include "services/redis/redis_grants.hpp"

#include <algorithm>
#include <functional>

#include "sim/redis/inspect.hpp"

namespace picklock {

RedisGrants::RedisGrants(RedisOwnership rule, std::uint64_t key_hash, std::optional<Duration> lease,
                         std::vector<RedisPlace> places)
    : rule_(rule), key_(key_hash), lease_(lease), places_(std::move(places)) {
  for (const RedisPlace& p : places_) groups_ = std::max(groups_, p.group + 1);
  reset();
}

void RedisGrants::reset() {
  copies_.assign(places_.size(), RedisKeyOwners(rule_, key_, lease_));
  is_master_.clear();
  is_down_.assign(places_.size(), false);
  refuses_.assign(places_.size(), false);
  for (const RedisPlace& p : places_) is_master_.push_back(!p.replica);
  candidates_.clear();
  shares_.clear();
  silenced_ = {};
}

bool RedisGrants::wants(TraceKind kind) const {
  return trace::is_of_redis(kind) || kind == trace::process_killed || kind == trace::power_lost;
}

HoldId redis_hold_of(const TraceRecord& r) {
  switch (r.kind) {
    case trace::redis_key_changed:
    case trace::redis_key_value:
    case trace::redis_field_number:
    case trace::redis_field_text:
    case trace::redis_field_removed:
      return r.a;
    default:
      return kNoHold;
  }
}

void RedisGrants::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                      std::uint32_t& index) {
  const std::size_t place = r.node - std::size_t{1};
  if (place >= copies_.size() || places_[place].elsewhere) return;
  changes_.clear();
  place_ = place;
  if (r.kind == trace::redis_role) {
    constexpr std::uint32_t kMaster = 1;
    return change_voice(r.time, place, r.a == kMaster, is_down_[place], refuses_[place], grants, index);
  }
  if (r.kind == trace::redis_serves) {
    return change_voice(r.time, place, is_master_[place], is_down_[place], r.a == 0, grants, index);
  }
  if (r.kind == trace::process_killed || r.kind == trace::power_lost) {
    return change_voice(r.time, place, is_master_[place], copies_.size() > 1, refuses_[place], grants, index);
  }
  if (r.kind == trace::redis_resynced) {
    for (std::size_t m = 0; m < copies_.size(); ++m) {
      const bool masters =
          m != place && is_master_[m] && !places_[m].elsewhere && places_[m].group == places_[place].group;
      if (masters && !is_master_[place]) copies_[place].copy_owners(copies_[m]);
    }
    return;
  }
  copies_[place].see(r, by, changes_);
  if (is_down_[place]) {  // it reads its disk; what it has then counts from then on
    if (!copies_[place].loading())
      change_voice(r.time, place, is_master_[place], false, refuses_[place], grants, index);
    return;
  }
  if (!is_master_[place] || refuses_[place]) return;
  for (GrantEvent& change : changes_) {
    if (copies_.size() > 1) {
      combine(change, places_[place].group, grants, index);
    } else {
      change.index = index++;
      grants.push_back(change);
    }
  }
}

std::span<RedisGrants::Share> RedisGrants::shares_of(HoldId hold) {
  if (hold >= candidates_.size()) {
    candidates_.resize(hold + std::size_t{1});
    shares_.resize(candidates_.size() * groups_);
  }
  return std::span(shares_).subspan(std::size_t{hold} * groups_, groups_);
}

// At a promotion a copy begins to count, at a demotion or with its server's death or refusal it ceases to.
void RedisGrants::change_voice(std::int64_t time, std::size_t place, bool master, bool down, bool refuses,
                               std::vector<GrantEvent>& grants, std::uint32_t& index) {
  const bool counted = is_master_[place] && !is_down_[place] && !refuses_[place], counts = master && !down && !refuses;
  is_master_[place] = master;
  is_down_[place] = down;
  refuses_[place] = refuses;
  if (counts == counted) return;
  const std::uint32_t group = places_[place].group;
  copies_[place].for_each_owner([&](HoldId hold) {
    GrantEvent e{time, kNoTime, 0, hold, kNoHold, counts ? GrantChange::begin : GrantChange::end};
    if (!counts) e.cause = down ? GrantEnd::stopped : GrantEnd::demoted;
    if (counts) e.until = shares_of(hold)[group].promised;  // data that come back promise nothing new
    combine(e, group, grants, index);
  });
}

// What one copy's change means for the lock as a whole.
void RedisGrants::combine(const GrantEvent& change, std::uint32_t group, std::vector<GrantEvent>& grants,
                          std::uint32_t& index) {
  Share& share = shares_of(change.hold)[group];
  switch (change.change) {
    case GrantChange::begin:
      ++share.naming;
      share.promised = change.until;
      break;
    case GrantChange::extend:
      share.promised = change.until;
      break;
    case GrantChange::end:
      --share.naming;
      break;
    case GrantChange::released:
    case GrantChange::forced:
      --share.naming;
      share.promised = kNoTime;
      break;
    case GrantChange::wrong_release:
    case GrantChange::wrong_renewal:
      if (candidates_[change.hold].owner) {
        grants.push_back(change);
        grants.back().index = index++;
      }
      return;
  }
  decide(change, grants, index);
}

// What became of a hold that is promised still, and of which the server that grants knows nothing.
GrantEnd RedisGrants::why_not_against(HoldId newcomer, std::int64_t time) const {
  const HoldId before = silenced_.hold;
  if (groups_ > 1 || before == kNoHold || before == newcomer || before >= candidates_.size()) return GrantEnd::unknown;
  const Candidate& silenced = candidates_[before];
  if (silenced.owner || silenced.promised <= time) return GrantEnd::unknown;
  return silenced_.place == place_ ? GrantEnd::lost : GrantEnd::not_replicated;
}

void RedisGrants::decide(const GrantEvent& why, std::vector<GrantEvent>& grants, std::uint32_t& index) {
  const auto shares = shares_of(why.hold);
  Candidate& candidate = candidates_[why.hold];
  std::uint32_t naming = 0;
  promises_.clear();
  for (const Share& s : shares) {
    naming += s.naming > 0;
    promises_.push_back(s.promised);
  }
  const auto last_needed = promises_.begin() + (quorum() - 1);
  std::nth_element(promises_.begin(), last_needed, promises_.end(), std::greater<>{});
  const std::int64_t promised = *last_needed;  // kNoTime if too few promise anything
  const bool owns = naming >= quorum(), owned = candidate.owner;
  const std::int64_t was_promised = candidate.promised;
  const auto say = [&](GrantChange change, std::int64_t until) {
    GrantEvent e = why;
    e.change = change;
    e.until = until;
    if (change == GrantChange::begin) e.cause = why_not_against(why.hold, why.time);
    if (change == GrantChange::extend) e.cause = GrantEnd::unknown;
    if (e.cause == GrantEnd::stopped || e.cause == GrantEnd::demoted) silenced_ = {why.hold, place_};
    e.index = index++;
    grants.push_back(e);
  };
  candidate.owner = owns;
  if (owns && !owned) {
    say(GrantChange::begin, promised);
  } else if (owns) {
    if (promised == was_promised) return;
    say(GrantChange::extend, promised);
  } else {
    // A command ended it if nothing is promised any more, as the rest has been deleted too or has expired; if not, only data
    // were lost.
    const bool over = promised <= why.time && was_promised != kNoTime &&
                      (why.change == GrantChange::released || why.change == GrantChange::forced);
    if (!owned && !over) return;
    say(over ? why.change : GrantChange::end, kNoTime);
    if (!over) return;  // what was promised still is
  }
  candidate.promised = promised;
}

}  // namespace picklock
