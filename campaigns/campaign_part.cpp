#include "campaigns/campaign_part.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/deciding.hpp"

namespace picklock {

namespace {

constexpr std::size_t kMostErrors = 10;

}  // namespace

bool claimed(Claim claim, const Scenario& scenario, const Claims& claims) {
  switch (claim) {
    case Claim::exclusion:
    case Claim::progress:
    case Claim::waking:
    case Claim::clients:
      return true;
    case Claim::token:
      return claims.token;
    case Claim::fenced:
      return scenario.storage.fence == FenceMode::reads_and_writes && claims.token;
    case Claim::renewing:
      return claims.renewing;
    case Claim::fair:
      return claims.fair;
    case Claim::seats:
    case Claim::information:
      return false;
  }
  return false;
}

bool lock_claims(Property property, const Scenario& scenario, const LockKind& kind) {
  const Claims& claims = kind.claims;
  const AnyOptions& options = scenario.lock.options;
  switch (property) {
    case Property::mutual_exclusion:
    case Property::double_grant:
      return claims.mutual_exclusion;
    case Property::never_free_again:
    case Property::orphaned:
      return claims.frees_after_crash;
    case Property::unserved:
      return claims.serves_waiters && (!options || serves_waiters(kind, *options));
    case Property::starvation:
      return claims.frees_after_crash && (!options || kind.serves_waiters == nullptr || kind.serves_waiters(*options));
    case Property::overtaking:
      return claims.fair && !gives_turns_away(scenario, kind);
    case Property::wrong_release:
    case Property::unreleased:
      return claims.releases_only_own;
    case Property::wrong_renewal:
      return claims.renews_only_own;
    default:
      return true;
  }
}

namespace {

// Did a property that was violated have to hold, by what the lock and the storage claim and what really happened?
bool breaks_a_claim(Property violated, const RunResult& r, const Scenario& scenario) {
  const Claim claim = info(violated).claim;
  if (claim == Claim::clients || !all_met(r.assumptions, violated)) return false;
  const LockKind& lock = *find_lock_kind(scenario.lock.name);
  return claimed(claim, scenario, lock.claims) && lock_claims(violated, scenario, lock);
}

}  // namespace

void CampaignPart::add(const RunResult& r, const Scenario& scenario) {
  ++runs;
  digest += mix(r.digest, r.seed);  // a sum: the same for any order
  events += r.events;
  cut_off += r.cut_off;
  if (!r.error.empty() && errors.size() < kMostErrors) errors.emplace(r.seed, r.error);
  assumptions.resize(r.assumptions.size());
  for (std::size_t i = 0; i < r.assumptions.size(); ++i) {
    assumptions[i].assumption = r.assumptions[i].assumption;
    assumptions[i].broken += r.assumptions[i].broken();
    assumptions[i].unknown += r.assumptions[i].unknown;
    assumptions[i].largest = std::max(assumptions[i].largest, r.assumptions[i].observed);
  }
  picklock::add(faults, r.faults);
  unseen.add(r.unseen);
  bool broke_a_claim = false;
  for (const Finding& v : r.findings) {
    const auto p = static_cast<std::size_t>(v.property);
    tallies[p].add(v.verdict, r.seed);
    const TableVerdict in_tables = table_verdict(r, v.property);
    counted[p].add(in_tables.verdict, r.seed);
    untested[p].add(in_tables);
    settle[p] = std::max(settle[p], deciding_settle(v, r, scenario).value_or(Duration{}));
    if (v.verdict != Verdict::violated) continue;
    largest[p] = std::max(largest[p], v.measure);
    broke_a_claim = broke_a_claim || breaks_a_claim(v.property, r, scenario);
  }
  if (broke_a_claim) {
    ++within;
    if (!seed_within || r.seed < *seed_within) seed_within = r.seed;
  }
}

void CampaignPart::add(const CampaignPart& other) {
  for (std::size_t p = 0; p < kPropertyCount; ++p) {
    tallies[p].add(other.tallies[p]);
    largest[p] = std::max(largest[p], other.largest[p]);
    counted[p].add(other.counted[p]);
    untested[p].add(other.untested[p]);
    settle[p] = std::max(settle[p], other.settle[p]);
  }
  if (assumptions.empty()) assumptions.resize(other.assumptions.size());
  for (std::size_t i = 0; i < other.assumptions.size(); ++i) {
    assumptions[i].assumption = other.assumptions[i].assumption;
    assumptions[i].broken += other.assumptions[i].broken;
    assumptions[i].unknown += other.assumptions[i].unknown;
    assumptions[i].largest = std::max(assumptions[i].largest, other.assumptions[i].largest);
  }
  picklock::add(faults, other.faults);
  costs.add(other.costs);
  unseen.add(other.unseen);
  runs += other.runs;
  digest += other.digest;
  events += other.events;
  cut_off += other.cut_off;
  within += other.within;
  if (other.seed_within && (!seed_within || *other.seed_within < *seed_within)) seed_within = other.seed_within;
  errors.insert(other.errors.begin(), other.errors.end());
  while (errors.size() > kMostErrors) errors.erase(std::prev(errors.end()));
}

}  // namespace picklock
