// The deaths that a fault plan asks for, whether or not they come to pass in a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/plan.hpp"

namespace picklock {

struct PlannedDeath {
  std::string node;    // name in the plan: a server, a client, or a client's machine
  bool stays = false;  // healing does not bring it back
  bool operator==(const PlannedDeath&) const = default;
};

// One for each kill and power loss, in the order of the plan.
std::vector<PlannedDeath> planned_deaths(const FaultPlan& plan);

// The only node that a fault touches, by stopping, killing or booting it; nothing: the fault is of another kind.
std::optional<std::string> node_stopped_by(const Fault& fault);

}  // namespace picklock
