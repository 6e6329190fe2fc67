#include "hunt/judge.hpp"

#include <algorithm>
#include <utility>

#include "hunt/near_miss.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

std::unique_ptr<Runner> runner_of(Scenario scenario) {
  scenario.event_budget = std::min(scenario.event_budget, Judge::kMostEvents);
  auto compiled = Runner::compile(scenario);
  auto* const runner = std::get_if<0>(&compiled);
  return runner == nullptr ? nullptr : std::move(*runner);
}

// May assumptions that a run broke be these?  Who believes for too long does so because of another: a pause, a delay, long
// work.
bool wanted(const Aim& aim, const std::vector<Assessment>& assessed, Property property) {
  if (aim.within_assumptions) return all_met(assessed, property);
  if (!aim.beyond) return true;
  const auto broken = [&](const Assessment& a) { return a.broken() && concerns(a, property); };
  const auto is_meant = [&](const Assessment& a) { return broken(a) && a.assumption.kind == *aim.beyond; };
  const auto other = [&](const Assessment& a) {
    const AssumptionKind kind = a.assumption.kind;
    return broken(a) && kind != *aim.beyond && kind != AssumptionKind::beliefs_shorter_than &&
           kind != AssumptionKind::interruptions_shorter_than;
  };
  return std::any_of(assessed.begin(), assessed.end(), is_meant) &&
         std::none_of(assessed.begin(), assessed.end(), other);
}

}  // namespace

PlanOutcome Judge::play(const Scenario& drawn, std::uint64_t seed, const Checkpoints* checkpoints) const {
  PlanOutcome outcome;
  const std::unique_ptr<Runner> runner = runner_of(drawn);
  if (runner == nullptr) return outcome;
  const RunResult& result = runner->run(seed, {.checkpoints = checkpoints});
  outcome.runs = 1;
  outcome.checked = result.checked;
  outcome.digest = result.digest;
  // Drawn options may ask for more than a world has room for: such a plan is cut off, and no error of the lock.
  if (runner->world().exhausted() == nullptr) outcome.error = result.error;
  outcome.unseen = result.unseen;
  outcome.playable = !result.cut_off;
  outcome.contended = (result.happened & bit(Sometimes::contention)) != 0;
  outcome.struck = result.judged_with.fault_struck;
  if (!outcome.playable || !outcome.error.empty()) return outcome;
  if (measures_closeness_) {
    outcome.closeness = closeness(result);
    outcome.turning_points = turning_points(result);
  }
  const auto violated = std::find_if(aim_.properties.begin(), aim_.properties.end(), [&](Property p) {
    return of(result.findings, p).verdict == Verdict::violated && wanted(aim_, result.assumptions, p);
  });
  if (violated == aim_.properties.end()) return outcome;
  Failure failure = failure_of(of(result.findings, *violated), result, drawn);
  if (aim_.twin) {
    const std::unique_ptr<Runner> twin = runner_of(twin_of(drawn, base_, aim_.twin->scenario));
    outcome.lone = twin != nullptr;
    if (twin == nullptr) return outcome;
    const RunResult& there = twin->run(seed);
    ++outcome.runs;
    outcome.lone = !there.cut_off && there.error.empty();
    if (!outcome.lone) return outcome;
    if (of(there.findings, failure.property).verdict != Verdict::holds) {
      outcome.harms_twin = failure.property;
      return outcome;
    }
  }
  outcome.failure = std::move(failure);
  return outcome;
}

bool Judge::harms_twin(const Scenario& drawn, std::uint64_t seed, Property property) const {
  const std::unique_ptr<Runner> twin = runner_of(twin_of(drawn, base_, aim_.twin->scenario));
  if (twin == nullptr) return true;
  const RunResult& there = twin->run(seed);
  return there.cut_off || !there.error.empty() || of(there.findings, property).verdict != Verdict::holds;
}

RightEnd Judge::right_end_of(const Scenario& scenario, std::uint64_t seed, Property property) const {
  const std::unique_ptr<Runner> runner = runner_of(scenario);
  if (runner == nullptr) return {};
  const RunResult& result = runner->run(seed);
  return right_end(of(result.findings, property), *result.history);
}

}  // namespace picklock
