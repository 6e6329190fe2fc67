#include "scenarios/services/redis/redis_grants.hpp"

#include <algorithm>
#include <functional>

#include "sim/redis/inspect.hpp"

namespace picklock {

RedisGrants::RedisGrants(RedisOwnership rule, std::uint64_t key_hash, std::optional<Duration> lease,
                         std::vector<RedisPlace> places, const DataLease& form)
    : places_(std::move(places)), copies_(places_.size(), RedisKeyOwners(rule, key_hash, lease, form)) {
  for (const RedisPlace& p : places_) groups_ = std::max(groups_, p.group + 1);
  reset();
}

void RedisGrants::reset() {
  for (RedisKeyOwners& copy : copies_) copy.reset();
  voices_.clear();
  for (const RedisPlace& p : places_) voices_.push_back({.master = !p.replica});
  candidates_.clear();
  shares_.clear();
  silenced_ = {};
}

bool RedisGrants::wants(TraceKind kind) const {
  return trace::is_of_redis(kind) || trace::is_of_leases(kind) || kind == trace::process_killed ||
         kind == trace::power_lost;
}

HoldId redis_hold_of(const TraceRecord& r) {
  switch (r.kind) {
    case trace::redis_key_changed:
    case trace::redis_key_value:
    case trace::redis_field_number:
    case trace::redis_field_text:
    case trace::redis_field_removed:
    case trace::lease_in_data:
    case trace::lease_gone:
      return r.a;
    default:
      return kNoHold;
  }
}

void RedisGrants::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                      std::uint32_t& index) {
  const bool alone = copies_.size() == 1 && voices_[0].counts();
  if (!alone || r.kind != trace::redis_key_changed) return see_slowly(r, by, grants, index);
  if (r.node != 1) return;
  // A statement on its copy is one on the lock.
  const std::size_t before = grants.size();
  copies_[0].see(r, by, grants);
  for (GrantEvent& change : std::span(grants).subspan(before)) change.index = index++;
}

void RedisGrants::see_slowly(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>& grants,
                             std::uint32_t& index) {
  const std::size_t place = r.node - std::size_t{1};
  if (place >= copies_.size() || places_[place].elsewhere) return;
  place_ = place;
  switch (r.kind) {
    case trace::redis_role:
    case trace::redis_serves:
    case trace::process_killed:
    case trace::power_lost:
      return voice_changed(r, place, grants, index);
    case trace::redis_resynced:
      for (std::size_t m = 0; m < copies_.size(); ++m) {
        const bool masters =
            m != place && voices_[m].master && !places_[m].elsewhere && places_[m].group == places_[place].group;
        if (masters && !voices_[place].master) copies_[place].copy_owners(copies_[m]);
      }
      return;
    default:
      break;
  }
  changes_.clear();
  copies_[place].see(r, by, changes_);
  if (voices_[place].down) {  // it reads its disk; what it has then counts from then on
    Voice back = voices_[place];
    back.down = false;
    if (!copies_[place].loading()) change_voice(r.time, place, back, grants, index);
    return;
  }
  if (!voices_[place].counts()) return;
  for (GrantEvent& change : changes_) {
    if (copies_.size() > 1) {
      combine(change, places_[place].group, grants, index);
    } else {
      change.index = index++;
      grants.push_back(change);
    }
  }
}

void RedisGrants::voice_changed(const TraceRecord& r, std::size_t place, std::vector<GrantEvent>& grants,
                                std::uint32_t& index) {
  Voice voice = voices_[place];
  if (r.kind == trace::redis_role) {
    constexpr std::uint32_t kMaster = 1;
    voice.master = r.a == kMaster;
  } else if (r.kind == trace::redis_serves) {
    voice.refuses = r.a == 0;
  } else {
    voice.down = copies_.size() > 1;
  }
  change_voice(r.time, place, voice, grants, index);
}

std::span<RedisGrants::Share> RedisGrants::shares_of(HoldId hold) {
  if (hold >= candidates_.size()) {
    candidates_.resize(hold + std::size_t{1});
    shares_.resize(candidates_.size() * groups_);
  }
  return std::span(shares_).subspan(std::size_t{hold} * groups_, groups_);
}

// A copy begins to count at a promotion, and ceases to at a demotion or with its server's death or refusal.
void RedisGrants::change_voice(std::int64_t time, std::size_t place, Voice now, std::vector<GrantEvent>& grants,
                               std::uint32_t& index) {
  const bool counted = voices_[place].counts(), counts = now.counts();
  voices_[place] = now;
  if (counts == counted) return;
  const std::uint32_t group = places_[place].group;
  copies_[place].for_each_owner([&](HoldId hold) {
    GrantEvent e{time, kNoTime, 0, hold, kNoHold, counts ? GrantChange::begin : GrantChange::end};
    if (!counts) e.cause = now.down ? GrantEnd::stopped : GrantEnd::demoted;
    if (counts) e.until = shares_of(hold)[group].promised;  // data that come back promise nothing new
    combine(e, group, grants, index);
  });
}

// Draws the lock's change as a whole from one copy's change.
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

// Tells why a hold that is still promised, and unknown to the server that grants, does not stand against the new one.
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
    if (!over) return;  // the old promise still stands
  }
  candidate.promised = promised;
}

}  // namespace picklock
