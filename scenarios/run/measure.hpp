// What struck in a run, measured from what happened and not from what was planned.
#pragma once

#include "checker/properties/assumptions.hpp"
#include "faults/executed.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// To be called at the end of a run.  Both results may be reused.
void assess_run(const World& world, Executed& executed, ExecutedFaults& faults);

}  // namespace picklock
