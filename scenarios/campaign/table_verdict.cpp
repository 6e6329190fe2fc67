#include "scenarios/campaign/table_verdict.hpp"

#include <algorithm>
#include <limits>

namespace picklock {
namespace {

// Whether two clients believed that they held the lock, at any two times before the probe.
bool two_clients_held(const History& history) {
  std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
  for (const PhaseEvent& e : history.phases) {
    if (e.phase == Phase::probe) end = std::min(end, e.index);
  }
  NameId first = kNoName;
  for (const BeliefEvent& e : history.beliefs) {
    const NameId client = history.holds[e.hold].client;
    if (e.index > end || client == first) continue;
    if (first != kNoName) return true;
    first = client;
  }
  return false;
}

}  // namespace

bool held_alone(const RunResult& run) {
  return of(run.findings, Property::mutual_exclusion).verdict == Verdict::holds && !two_clients_held(*run.history);
}

}  // namespace picklock
