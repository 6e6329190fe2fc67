#include "scenarios/run/deciding.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "checker/properties/waiting_bound.hpp"

namespace picklock {

Duration settle_longer_by_the_bound(Property property, const RunResult& run, const Scenario& scenario) {
  // The bound counts from the last thing that moved, which may be the end of the phase as it was; then the next full step.
  constexpr Duration kStep = milliseconds(100);
  const Duration needed = scenario.phases.settle + Duration{bound_of_waiting(property, run.judged_with)};
  return kStep * (needed.ns / kStep.ns + 1);
}

std::optional<Duration> deciding_settle(const Finding& finding, const RunResult& run, const Scenario& scenario) {
  if (finding.verdict != Verdict::undecided || finding.reason != Reason::pending_at_end) return std::nullopt;
  return settle_longer_by_the_bound(finding.property, run, scenario);
}

std::string deciding_setting(const Finding& finding, const RunResult& run, const Scenario& scenario) {
  const std::optional<Duration> settle = deciding_settle(finding, run, scenario);
  return settle ? "phases.settle=" + to_text(*settle) : std::string();
}

std::string settles_later(Duration settle, Duration decides) {
  return fmt::format("the settle phase of {} was too short for its bound: --set phases.settle={} decides it",
                     to_text(settle), to_text(decides));
}

}  // namespace picklock
