// The faults of servers that a scenario asks for: of nodes that are neither clients nor the storage.
#pragma once

#include <cstddef>
#include <vector>

#include "faults/planned_deaths.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

std::vector<PlannedDeath> server_deaths(const Scenario& scenario);

// Number of servers that healing does not bring back, be they up again at the end of the run or not.
std::size_t servers_that_stay_dead(const Scenario& scenario);

// May a fault leave a request to the lock service unanswered: strikes one a server or the network?
bool may_leave_unanswered(const Scenario& scenario);
// May a fault keep the lock service from its work: strikes one a server, the network or a clock?
bool may_disturb_service(const Scenario& scenario);

}  // namespace picklock
