#include "instruments/hunt/judge.hpp"

#include <algorithm>
#include <utility>

#include "instruments/hunt/near_miss.hpp"
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

}  // namespace

PlanOutcome Judge::play(const Scenario& drawn, std::uint64_t seed, const Checkpoints* checkpoints) const {
  PlanOutcome outcome;
  const std::unique_ptr<Runner> runner = runner_of(drawn);
  if (runner == nullptr) return outcome;
  const RunResult& result = runner->run(seed, {.checkpoints = checkpoints});
  outcome.runs = 1;
  outcome.checked = runner->record().checked;
  outcome.digest = result.digest;
  // Drawn options may ask for more than a world has room for: such a plan is cut off, and no error of the lock.
  if (!runner->record().out_of_room) outcome.error = result.error;
  outcome.unseen = result.unseen;
  outcome.playable = !result.cut_off;
  outcome.contended = (result.happened & bit(Sometimes::contention)) != 0;
  outcome.struck = result.judged_with.fault_struck;
  if (!outcome.playable || !outcome.error.empty()) return outcome;
  if (measures_closeness_) {
    outcome.closeness = closeness(result);
    outcome.turning_points = turning_points(result);
  }
  outcome.judged = judge_run(aim_, drawn, result);
  for (const Judgement& j : outcome.judged) {
    if (j.bearing != Bearing::failed) continue;
    outcome.failures.push_back(failure_of(of(result.findings, j.property), result, drawn));
  }
  if (aim_.twin && outcome.failed()) compare_with_twin(drawn, seed, outcome);
  return outcome;
}

void Judge::compare_with_twin(const Scenario& drawn, std::uint64_t seed, PlanOutcome& outcome) const {
  const std::unique_ptr<Runner> twin = runner_of(twin_of(drawn, base_, aim_.twin->scenario));
  const RunResult* const there = twin == nullptr ? nullptr : &twin->run(seed);
  outcome.runs += there != nullptr;
  outcome.lone = there != nullptr && !there->cut_off && there->error.empty();
  std::optional<Property> harmed;
  std::vector<Failure> lone;
  for (Judgement& j : outcome.judged) {
    if (j.bearing != Bearing::failed) continue;
    const Verdict other = outcome.lone ? of(there->findings, j.property).verdict : Verdict::undecided;
    if (other == Verdict::holds) {
      lone.push_back(*outcome.failure_of(j.property));
      continue;
    }
    const bool both = other == Verdict::violated;
    j.bearing = both ? Bearing::passed : Bearing::undecided;
    if (!both) j.why = outcome.lone ? "it is not decided on the other side" : "the other side could not be played";
    if (outcome.lone && !harmed) harmed = j.property;
  }
  outcome.failures = std::move(lone);
  if (!outcome.failed()) outcome.harms_twin = harmed;
}

const Failure* PlanOutcome::failure_of(Property property) const {
  const auto found =
      std::find_if(failures.begin(), failures.end(), [&](const Failure& f) { return f.property == property; });
  return found == failures.end() ? nullptr : &*found;
}

std::optional<Duration> PlanOutcome::settle() const {
  std::optional<Duration> shortest;
  for (const Judgement& j : judged) {
    if (j.bearing == Bearing::failed && !j.settle) return std::nullopt;
    if (j.settle && (!shortest || *j.settle < *shortest)) shortest = j.settle;
  }
  return shortest;
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
