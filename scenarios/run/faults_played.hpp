// The courses of the faults of a run, and whether the run tests what they were to test.
//
// A run does not test a fault that the end of the load cut off: a pause of 8 s that was over after 4 s says nothing of 8 s.
// Nor does it test exclusion under a fault that came when no two clients wanted or held locks any more.
#pragma once

#include <vector>

#include "checker/history.hpp"
#include "faults/course.hpp"

namespace picklock {

struct FaultsPlayed {
  std::vector<FaultCourse> courses;  // index: the fault's place in the plan
  bool load_ran_out = false;         // healing came while some client had rounds to do
  TrueTime healed{};                 // the instant at which the load was over
  TrueTime last_shared{};            // result of last_shared(…)

  // Did the end of the load end this fault, or any fault, before its length was over, while clients had work to do?
  bool cuts_off(const FaultCourse& course) const { return load_ran_out && course.is_cut_short(); }
  bool cut_off() const;
  // There are faults, and none of them struck while two clients were still to want or hold locks.
  bool came_late() const;

  bool operator==(const FaultsPlayed&) const = default;
};

// The last instant of the load at which a second client wanted or held a lock; 0: at most one client ever did.
TrueTime last_shared(const History& history);

}  // namespace picklock
