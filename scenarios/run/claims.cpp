#include "scenarios/run/claims.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <variant>

#include "scenarios/file/server_deaths.hpp"
#include "scenarios/run/measure.hpp"
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

// How long its queue waits for a client that may be dead; nothing: it does not, or has a session that tells.
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

// A dead client's session keeps what it had for its time, and so long a waiter may stand still: a run may end before.
// The properties that hold in a run that lasts longer; one that ends undecided clears nobody.
std::vector<Property> kept_when_played_on(Scenario scenario, const RunResult& run) {
  constexpr std::uint64_t kMoreEvents = 10;
  const JudgeOptions& o = run.judged_with;
  const Duration time{std::max({o.starvation_bound, o.wake_up_bound, o.orphan_bound, o.unserved_bound})};
  scenario.phases.settle = std::max(scenario.phases.settle, seconds(1) + time);
  scenario.event_budget *= kMoreEvents;
  const auto compiled = Runner::compile(scenario);
  if (compiled.index() != 0) return {};
  const RunResult& whole = std::get<0>(compiled)->run(run.seed);
  std::vector<Property> kept;
  for (const Finding& f : whole.findings) {
    if (f.verdict == Verdict::holds) kept.push_back(f.property);
  }
  return kept;
}

}  // namespace

std::vector<Property> claims_of_lock(const LockKind& kind, const Options& options) {
  std::vector<Property> all = safety(kind.claims);
  if (!renews(kind, options)) std::erase(all, Property::wrong_renewal);  // it need not prolong any
  if (serves_waiters(kind, options)) all.insert(all.end(), kOfWaiters.begin(), kOfWaiters.end());
  if (kind.permits != nullptr) std::erase(all, Property::lost_wake_up);  // it is not judged of a semaphore
  if (kind.claims.fair) all.push_back(Property::overtaking);
  return all;
}

bool within_assumptions(const RunResult& run) { return all_met(run.assumptions, Property::mutual_exclusion); }

std::vector<Property> claims_in(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  std::vector<Property> claimed = safety(kind.claims);
  if (promises_progress(kind, scenario, run)) claimed.insert(claimed.end(), kOfWaiters.begin(), kOfWaiters.end());
  // What a dying server had received comes again later, by another one.  A queue that gives up clients after a time may give up
  // living ones by then.
  const auto kept_for = wait_for_the_dead(kind, scenario);
  const bool all_keep_their_turns = (!kept_for || *kept_for >= run.length) && !gives_turns_away(scenario, kind);
  if (kind.claims.fair && all_keep_their_turns && server_deaths(scenario).empty())
    claimed.push_back(Property::overtaking);
  std::erase_if(claimed, [&](Property p) { return !all_met(run.assumptions, p); });
  return claimed;
}

std::vector<Property> broken_claims(const LockKind& kind, const Scenario& scenario, const RunResult& run) {
  std::vector<Property> broken = claims_in(kind, scenario, run);
  std::erase_if(broken, [&](Property p) { return of(run.findings, p).verdict != Verdict::violated; });
  if (std::none_of(broken.begin(), broken.end(), is_of_waiters)) return broken;
  const std::vector<Property> later = kept_when_played_on(scenario, run);
  std::erase_if(
      broken, [&](Property p) { return is_of_waiters(p) && std::find(later.begin(), later.end(), p) != later.end(); });
  return broken;
}

}  // namespace picklock
