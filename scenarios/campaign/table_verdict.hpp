// The verdict of one run as tables of figures count it.
//
// A run in which one client alone got the lock says little of mutual exclusion, though another one asked for it: a lock that gives
// up, or never grants, would pass for a safe one.  So mutual exclusion counts as held only where two clients contended and each
// of them held the lock; else the run is not tested.  Violations count always.
#pragma once

#include "scenarios/run/run.hpp"

namespace picklock {

struct TableVerdict {
  Verdict verdict{};
  bool not_tested = false;  // undecided, as nothing put the property to the test
};

// Did mutual exclusion hold, but no two clients the lock?
bool held_alone(const RunResult& run);

inline TableVerdict table_verdict(const RunResult& run, Property property) {
  if (property == Property::mutual_exclusion && held_alone(run)) return {Verdict::undecided, true};
  const Finding& finding = of(run.findings, property);
  return {finding.verdict, finding.reason == Reason::vacuous};
}

}  // namespace picklock
