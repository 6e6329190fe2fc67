#include "scenarios/campaign/campaign_part.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "scenarios/campaign/table_verdict.hpp"

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
      return claims.frees_after_crash;
    case Property::starvation:
      return claims.frees_after_crash && (!options || kind.serves_waiters == nullptr || kind.serves_waiters(*options));
    case Property::wrong_release:
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
    assumptions[i].broken += !r.assumptions[i].met;
    assumptions[i].largest = std::max(assumptions[i].largest, r.assumptions[i].observed);
  }
  bool broke_a_claim = false;
  for (const Finding& v : r.findings) {
    const auto p = static_cast<std::size_t>(v.property);
    tallies[p].add(v.verdict, r.seed);
    const TableVerdict counted = table_verdict(r, v.property);
    not_tested[p] += counted.not_tested;
    if (v.property == Property::mutual_exclusion) contended.add(counted.verdict, r.seed);
    if (v.verdict != Verdict::violated) continue;
    largest[p] = std::max(largest[p], v.measure);
    broke_a_claim = broke_a_claim || breaks_a_claim(v.property, r, scenario);
  }
  if (broke_a_claim) {
    ++within;
    if (!seed_within || r.seed < *seed_within) seed_within = r.seed;
  }
}

void CampaignPart::add_strikes(const std::vector<Strike>& strikes) {
  idle_faults.resize(strikes.size());
  for (std::size_t i = 0; i < strikes.size(); ++i) idle_faults[i] += strikes[i] != Strike::injected;
}

void CampaignPart::add(const CampaignPart& other) {
  for (std::size_t p = 0; p < kPropertyCount; ++p) {
    tallies[p].add(other.tallies[p]);
    largest[p] = std::max(largest[p], other.largest[p]);
    not_tested[p] += other.not_tested[p];
  }
  contended.add(other.contended);
  if (assumptions.empty()) assumptions.resize(other.assumptions.size());
  for (std::size_t i = 0; i < other.assumptions.size(); ++i) {
    assumptions[i].assumption = other.assumptions[i].assumption;
    assumptions[i].broken += other.assumptions[i].broken;
    assumptions[i].largest = std::max(assumptions[i].largest, other.assumptions[i].largest);
  }
  idle_faults.resize(std::max(idle_faults.size(), other.idle_faults.size()));
  for (std::size_t i = 0; i < other.idle_faults.size(); ++i) idle_faults[i] += other.idle_faults[i];
  costs.add(other.costs);
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
