#include "campaigns/table_verdict.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

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

std::string_view words(Untested why) {
  switch (why) {
    case Untested::held_alone:
      return "at most one client ever held the lock";
    case Untested::fault_cut_off:
      return "the end of the load cut a fault off";
    case Untested::fault_after_contest:
      return "no fault struck while two clients still wanted or held locks";
    default:
      return "";
  }
}

TableVerdict table_verdict(const RunResult& run, Property property) {
  const Finding& finding = of(run.findings, property);
  const auto untested = [](Untested why) { return TableVerdict{Verdict::undecided, why}; };
  if (finding.verdict != Verdict::holds) {
    return {finding.verdict, finding.reason == Reason::vacuous ? Untested::vacuous : Untested::no};
  }
  if (run.faults.cut_off()) return untested(Untested::fault_cut_off);
  const bool needs_contention = (info(property).sometimes & bit(Sometimes::contention)) != 0;
  if (needs_contention && run.faults.came_late()) return untested(Untested::fault_after_contest);
  if (property == Property::mutual_exclusion && !two_clients_held(*run.history)) return untested(Untested::held_alone);
  return {Verdict::holds, Untested::no};
}

std::uint64_t UntestedRuns::all() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

}  // namespace picklock
