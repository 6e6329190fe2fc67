#include "testkit/claims.hpp"

#include <algorithm>
#include <functional>

#include "scenarios/workloads/lock_plan.hpp"

namespace picklock {
namespace {

std::vector<Property> safety(const Claims& claims) {
  std::vector<Property> all;
  if (claims.mutual_exclusion) all = {Property::mutual_exclusion, Property::double_grant};
  if (claims.token) all.push_back(Property::fencing_monotonicity);
  if (claims.releases_only_own) all.push_back(Property::wrong_release);
  if (claims.renews_only_own) all.push_back(Property::wrong_renewal);
  return all;
}

// Does every client take its locks in the order of their names, each once?
bool takes_in_one_order(const Scenario& s) {
  return std::all_of(s.clients.begin(), s.clients.end(), [](const ClientSpec& c) {
    std::vector<std::string> names;
    for (const std::string& entry : c.locks) {
      const auto locks = parse_lock_entry(entry);
      if (locks) names.insert(names.end(), locks->names.begin(), locks->names.end());
    }
    return std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end();
  });
}

// Does the lock promise that what no client holds becomes free, after what happened in this run?
bool promises_progress(const Claims& claims, const Scenario& scenario, const RunResult& run) {
  const ExecutedFaults& faults = run.executed;
  const bool circle =
      of(run.findings, Property::deadlock).verdict == Verdict::violated || !takes_in_one_order(scenario);
  if (!claims.serves_waiters || circle || faults.servers_missing > 0) return false;
  if (faults.kills + faults.power_losses > 0 && !claims.frees_after_crash) return false;
  // A lost answer leaves a lock held for one lease, or as long as its session lives, or for ever.
  return faults.unanswered_requests == 0 || (claims.frees_after_crash && !claims.renewing);
}

}  // namespace

bool within_assumptions(const RunResult& run) {
  return std::all_of(run.assumptions.begin(), run.assumptions.end(), [](const Assessment& a) { return a.met; });
}

std::vector<Property> broken_claims(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  if (!within_assumptions(run)) return {};
  std::vector<Property> claimed = safety(kind.claims);
  const bool calm = scenario.faults.empty();
  if (promises_progress(kind.claims, scenario, run)) {
    claimed.push_back(Property::never_free_again);
    if (calm) claimed.insert(claimed.end(), {Property::starvation, Property::lost_wake_up});
  }
  if (kind.claims.fair && calm) claimed.push_back(Property::overtaking);
  std::erase_if(claimed, [&](Property p) { return of(run.findings, p).verdict != Verdict::violated; });
  return claimed;
}

}  // namespace picklock
