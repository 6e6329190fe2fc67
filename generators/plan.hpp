// A generator of fault plans that are aimed where it hurts.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>

#include "faults/fault_space.hpp"
#include "faults/plan.hpp"

namespace picklock {

// Plans of few faults over what there is in `space` (one node at least).  Swarm: each plan switches
// whole kinds of faults off, so that some plans have many of one kind.  Half of the triggers are
// instants, half are marks in use; durations are drawn near the deadlines in play.  Every plan
// compiles.  Shrinks by simplify().
rc::Gen<FaultPlan> arbitrary_plan(const FaultSpace& space);

void showValue(const Fault& fault, std::ostream& out);
void showValue(const FaultPlan& plan, std::ostream& out);

}  // namespace picklock
