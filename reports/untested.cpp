#include "reports/untested.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "reports/run/idle_faults.hpp"

namespace picklock {
namespace {

std::string range_text(Duration shortest, Duration longest) {
  const std::string from = to_readable(shortest), to = to_readable(longest);
  return from == to ? from : from + ".." + to;
}

}  // namespace

std::string reasons_untested(const UntestedRuns& untested, std::uint64_t runs) {
  std::vector<std::string> reasons;
  for (const Untested why : {Untested::held_alone, Untested::fault_cut_off, Untested::fault_after_contest}) {
    if (untested[why] > 0) reasons.push_back(fmt::format("{} in {}", words(why), untested[why]));
  }
  return reasons.empty() ? "" : fmt::format("{} of {} runs", fmt::join(reasons, ", and "), runs);
}

std::string lasted_text(const FaultSummary& fault) {
  return fault.shortest ? range_text(*fault.shortest, *fault.longest) : "-";
}

std::string lasted_text(const FaultSummaries& faults) {
  if (faults.size() == 1) return lasted_text(faults.front());
  std::string text;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].shortest) text += fmt::format("{}[{}] {}", text.empty() ? "" : ", ", i, lasted_text(faults[i]));
  }
  return text.empty() ? "-" : text;
}

std::string cut_off_runs(const FaultSummaries& faults) {
  std::string text;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].cut_off == 0) continue;
    text += fmt::format("; the end of the load cut {} off in {} of {} runs",
                        faults.size() == 1 ? "it" : fmt::format("[{}]", i), faults[i].cut_off, faults[i].runs);
  }
  return text;
}

std::string lasted_table(const Scenario& scenario, const FaultSummaries& faults) {
  std::string text;
  for (std::size_t i = 0; i < faults.size() && i < scenario.faults.size(); ++i) {
    const FaultSummary& f = faults[i];
    if (!f.shortest) continue;
    text += fmt::format("{}  {:<40} {}{}\n", text.empty() ? "\nfaults lasted:\n" : "",
                        fmt::format("fault[{}], {}", i, words_of_fault(scenario.faults[i])), lasted_text(f),
                        f.cut_off == 0
                            ? ""
                            : fmt::format("; the end of the load cut it off in {} of {} runs: set a longer phases.load",
                                          f.cut_off, f.runs));
  }
  return text;
}

std::string cut_off_text(const Scenario& scenario, const FaultsPlayed& faults) {
  std::string text;
  for (std::size_t i = 0; i < faults.courses.size(); ++i) {
    const FaultCourse& c = faults.courses[i];
    if (!faults.cuts_off(c)) continue;
    text += fmt::format(
        "fault[{}], {}, was cut off at {}, after {} of {}, by the end of the load: this run does not test its length "
        "(set a "
        "longer phases.load)\n",
        i, words_of_fault(scenario.faults[i]), to_readable(*c.ended - TrueTime{}), to_readable(*c.ended - c.began),
        to_readable(*c.drawn));
  }
  const bool any = std::any_of(faults.courses.begin(), faults.courses.end(),
                               [](const FaultCourse& c) { return c.strike == Strike::injected; });
  // A fault that struck nothing, and a lack of contention, are told elsewhere.
  if (any && faults.last_shared != TrueTime{} && faults.came_late()) {
    text +=
        "no fault struck while two clients still wanted or held locks: this run does not test exclusion under faults\n";
  }
  return text;
}

}  // namespace picklock
