// The deaths that a fault plan asks for, whether or not they come to pass in a run.
#pragma once

#include <string>
#include <vector>

#include "faults/plan.hpp"

namespace picklock {

struct PlannedDeath {
  std::string node;    // as the plan names it: a server, a client, or a client's machine
  bool stays = false;  // healing does not bring it back
  bool operator==(const PlannedDeath&) const = default;
};

// One for each kill and power loss, in the order of the plan.
std::vector<PlannedDeath> planned_deaths(const FaultPlan& plan);

}  // namespace picklock
