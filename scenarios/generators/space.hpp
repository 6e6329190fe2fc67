// The targets of faults in a scenario.
#pragma once

#include "faults/fault_space.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

// The targets of faults in this scenario: its machines and the ways between them, the lease of its
// lock, and the marks and deadlines that one run without any faults shows to be in play.  Of a
// scenario that does not compile only what it says of itself.
FaultSpace fault_space_of(const Scenario& scenario);

// Adapts the space after the scenario was given other clients, another lock's options or another
// topology: machines, links, threads, lease and tasks are the scenario's, marks and the other
// deadlines stay.
void adapt(FaultSpace& space, const Scenario& scenario);

}  // namespace picklock
