#include "scenarios/run/claims.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <variant>

#include "scenarios/file/server_deaths.hpp"
#include "scenarios/run/measure.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/workloads/lock_plan.hpp"

namespace picklock {

std::vector<Property> safety_claims(const Claims& claims) {
  std::vector<Property> all;
  if (claims.mutual_exclusion) all = {Property::mutual_exclusion, Property::double_grant};
  if (claims.token) all.push_back(Property::fencing_monotonicity);
  if (claims.releases_only_own) all.insert(all.end(), {Property::wrong_release, Property::unreleased});
  if (claims.renews_only_own) all.push_back(Property::wrong_renewal);
  return all;
}

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

namespace {

// Time that its queue waits for a client that may be dead; nothing: it does not, or has a session that tells.
std::optional<Duration> wait_for_the_dead(const LockKind& kind, const Scenario& scenario) {
  return kind.waits_for_dead != nullptr ? kind.waits_for_dead(*scenario.lock.options) : std::nullopt;
}

// Does the lock promise that what no client holds becomes free, after what happened in this run?
bool promises_progress(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  const Claims& claims = kind.claims;
  const ExecutedFaults& faults = run.executed;
  const bool circle =
      of(run.findings, Property::deadlock).verdict == Verdict::violated || !takes_in_one_order(scenario);
  const bool servers_late = servers_that_stay_dead(scenario) > 0;
  if (!serves_waiters(kind, *scenario.lock.options) || circle || servers_late || faults.servers_missing > 0)
    return false;
  const bool died = faults.kills + faults.power_losses > 0;
  if (died && !claims.frees_after_crash) return false;
  const auto for_the_dead = wait_for_the_dead(kind, scenario);
  if (died && for_the_dead && *for_the_dead > scenario.phases.settle) return false;
  // A lost answer leaves a lock held for one lease, or as long as its session lives, or for ever.  A record is renewed by its
  // leader alone, who resigns without a word.
  const bool renewed_on = claims.renewing && kind.ownership != "etcd-record";
  return faults.unanswered_requests == 0 || (claims.frees_after_crash && !renewed_on);
}

constexpr std::array kOfWaiters = {Property::never_free_again, Property::starvation, Property::lost_wake_up,
                                   Property::orphaned, Property::unserved};

}  // namespace

bool gives_turns_away(const Scenario& scenario, const LockKind& kind) {
  return kind.waits_for_dead != nullptr && std::any_of(scenario.clients.begin(), scenario.clients.end(),
                                                       [](const ClientSpec& c) { return c.patience.has_value(); });
}

Duration settle_that_outlasts(const RunResult& run, Property property) {
  const JudgeOptions& o = run.judged_with;
  const bool died = run.executed.kills + run.executed.power_losses > 0;
  std::int64_t bound = std::max(o.wake_up_bound, o.starvation_bound);
  if (property == Property::lost_wake_up && !died) bound = o.wake_up_bound;
  if (property == Property::orphaned || property == Property::unserved) {
    bound = std::max({bound, o.orphan_bound, o.unserved_bound});
  }
  return seconds(1) + Duration{bound};
}

bool holds_when_played_on(Scenario scenario, const RunResult& run, Property property) {
  constexpr std::uint64_t kMoreEvents = 10;
  const Duration settle = settle_that_outlasts(run, property);
  if (!is_of_waiters(property) || (settle <= scenario.phases.settle && !run.cut_off)) return false;
  scenario.phases.settle = std::max(scenario.phases.settle, settle);
  scenario.event_budget *= kMoreEvents;
  const auto compiled = Runner::compile(scenario);
  if (compiled.index() != 0) return false;
  return of(std::get<0>(compiled)->run(run.seed).findings, property).verdict == Verdict::holds;
}

std::vector<Property> claimed_properties(const LockKind& kind, const Options& options) {
  std::vector<Property> claimed = safety_claims(kind.claims);
  if (!renews(kind, options)) std::erase(claimed, Property::wrong_renewal);  // it need not prolong any
  const bool bounded = kind.lease != nullptr && kind.lease(options).has_value();
  if (serves_waiters(kind, options)) {
    claimed.insert(claimed.end(), {Property::never_free_again, Property::unserved});
    if (bounded) claimed.push_back(Property::starvation);
    if (permits_of(kind, options) == 1) claimed.push_back(Property::lost_wake_up);
    if (bounded && kind.claims.frees_after_crash) claimed.push_back(Property::orphaned);
  }
  if (kind.claims.fair) claimed.push_back(Property::overtaking);
  std::sort(claimed.begin(), claimed.end());
  return claimed;
}

bool within_assumptions(const RunResult& run) { return all_met(run.assumptions, Property::mutual_exclusion); }

std::vector<Property> promised_in(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  std::vector<Property> promised = safety_claims(kind.claims);
  if (promises_progress(kind, scenario, run)) promised.insert(promised.end(), kOfWaiters.begin(), kOfWaiters.end());
  // Requests to a dying server come again later, by another one.  A queue that gives up clients after a time may give
  // up living ones by then.
  const auto kept_for = wait_for_the_dead(kind, scenario);
  const bool all_keep_their_turns = (!kept_for || *kept_for >= run.length) && !gives_turns_away(scenario, kind);
  if (kind.claims.fair && all_keep_their_turns && server_deaths(scenario).empty())
    promised.push_back(Property::overtaking);
  return promised;
}

std::vector<Property> claims_in(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  std::vector<Property> claimed = promised_in(kind, scenario, run);
  std::erase_if(claimed, [&](Property p) { return !all_met(run.assumptions, p); });
  return claimed;
}

std::vector<Property> broken_claims(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  std::vector<Property> broken = claims_in(kind, scenario, run);
  std::erase_if(broken, [&](Property p) { return of(run.findings, p).verdict != Verdict::violated; });
  std::erase_if(broken, [&](Property p) { return holds_when_played_on(scenario, run, p); });
  return broken;
}

}  // namespace picklock
