// What struck in a run, measured from what happened and not from what was planned.
#pragma once

#include "checker/history.hpp"
#include "checker/properties/assumptions.hpp"
#include "faults/executed.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// To be called at the end of a run, with its history.  Both results may be reused.
void assess_run(const World& world, const History& history, Executed& executed, ExecutedFaults& faults);

// The longest that a holder worked on one promise: from its grant or latest renewal at the server to the next,
// or to the end of its belief.  What it was stopped for does not count.
Duration longest_work_on_one_promise(const History& history);

}  // namespace picklock
