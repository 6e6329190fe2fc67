// Data losses and failovers of Redis servers, read from a run's journal.
#pragma once

#include "checker/properties/assumptions.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// Adds replicas that became masters, and keys that a server had acknowledged and that were not there after a restart, in
// the data of a replica that took its place, or in that of the master which it had to follow.
void measure_redis(const World& world, ExecutedFaults& faults);

}  // namespace picklock
