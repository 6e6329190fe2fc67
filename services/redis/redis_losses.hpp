// Data losses and failovers of Redis servers, read from a run's journal.
#pragma once

#include "checker/properties/assumptions.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// Adds keys that a server had acknowledged and did not have after a restart, and replicas that became masters.
void measure_redis(const World& world, ExecutedFaults& faults);

}  // namespace picklock
