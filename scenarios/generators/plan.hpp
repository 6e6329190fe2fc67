// A generator of fault plans that are aimed where it hurts.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "faults/fault_space.hpp"
#include "faults/plan.hpp"

namespace picklock {

// Number and kinds of the faults of a plan.
struct PlanShape {
  std::int64_t least = 0, most = 0;  // faults; both 0: none to six, few as a rule
  bool swarm = true;                 // each plan leaves out whole kinds
  std::vector<std::string> kinds{};  // names that may occur; empty: all
};

// A plan of this shape over what there is in `space` (one node at least), drawn where it stands (scenarios/generators/draw.hpp).
FaultPlan plan_over(const FaultSpace& space, const PlanShape& shape);

// An event that a client passes for the first time or a later one; the start of the run where there are none.
Trigger event_trigger(const FaultSpace& space);

// Plans of few faults over what there is in `space` (one node at least).  Swarm: each plan switches
// whole kinds of faults off, so that some plans have many of one kind.  Half of the triggers are
// instants, half are marks in use; durations are drawn near the deadlines in play.  Every plan
// compiles.  Shrinks by simplify().
rc::Gen<FaultPlan> arbitrary_plan(const FaultSpace& space);

void showValue(const Fault& fault, std::ostream& out);
void showValue(const FaultPlan& plan, std::ostream& out);

}  // namespace picklock
