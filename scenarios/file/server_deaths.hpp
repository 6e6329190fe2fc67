// The deaths of servers that a scenario asks for: of nodes that are neither clients nor the storage.
#pragma once

#include <cstddef>
#include <vector>

#include "faults/planned_deaths.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

std::vector<PlannedDeath> server_deaths(const Scenario& scenario);

// Number of servers that healing does not bring back, be they up again at the end of the run or not.
std::size_t servers_that_stay_dead(const Scenario& scenario);

}  // namespace picklock
