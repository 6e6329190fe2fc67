// What struck in a run, measured from what happened and not from what was planned.
#pragma once

#include <vector>

#include "checker/properties/assumptions.hpp"
#include "faults/armed.hpp"
#include "scenarios/file/scenario.hpp"
#include "sim/core/world.hpp"

namespace picklock {

ExecutedFaults measure(const std::vector<TraceRecord>& journal, const World& world, const Scenario& scenario,
                       const ArmedPlan& plan);

}  // namespace picklock
