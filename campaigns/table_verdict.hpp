// The verdict of one run as tables of figures count it.
//
// Tables count fewer runs as held than the checker does, as they speak of a lock and not of one run:
//
// - Mutual exclusion counts as held only where two clients contended and each of them held the lock.  A lock that gives up, or
//   never grants, would pass for a safe one.
// - Nothing counts as held where the end of the load cut a fault off: what the scenario asks about did not happen.
// - What needs contention does not count as held where all faults came when contention was over.
//
// Such a run is not tested.  Violations count always.
#pragma once

#include <array>
#include <string_view>

#include "scenarios/run/result.hpp"

namespace picklock {

// Reason why an undecided run does not test a property.
enum class Untested : std::uint8_t {
  no,                  // the run tests the property
  vacuous,             // the checker's reason: a condition of the property never came true
  held_alone,          // at most one client ever held the lock
  fault_cut_off,       // the end of the load ended a fault before its length was over
  fault_after_contest  // no fault struck while two clients were still to want or hold locks
};
inline constexpr std::size_t kUntestedCount = 5;
inline constexpr std::string_view kUntestedNames[kUntestedCount] = {"no", "vacuous", "held_alone", "fault_cut_off",
                                                                    "fault_after_contest"};

std::string_view words(
    Untested why);  // "at most one client ever held the lock"; empty: tested, or the checker says why not

struct TableVerdict {
  Verdict verdict{};
  Untested untested = Untested::no;  // reason why the verdict is undecided, if it is
  bool not_tested() const { return untested != Untested::no; }
};

TableVerdict table_verdict(const RunResult& run, Property property);

// Number of runs that were not tested, by the reason.
struct UntestedRuns {
  std::array<std::uint64_t, kUntestedCount> counts{};  // index: Untested; element `no` stays 0

  void add(const TableVerdict& v) { counts[static_cast<std::size_t>(v.untested)] += v.not_tested(); }
  void add(const UntestedRuns& other) {
    for (std::size_t i = 0; i < kUntestedCount; ++i) counts[i] += other.counts[i];
  }
  std::uint64_t operator[](Untested why) const { return counts[static_cast<std::size_t>(why)]; }
  std::uint64_t all() const;
  bool operator==(const UntestedRuns&) const = default;
};

}  // namespace picklock
