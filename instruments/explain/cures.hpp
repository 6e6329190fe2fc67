// Cures: changes of resource, clients, lock and servers that might end a violation, and the variants of the scenario.
//
// Each is tried in the scenario as it is.  What it costs is measured without faults, by acquires of the same clients.
#pragma once

#include "instruments/explain/claims.hpp"

namespace picklock {

// `violated`: by the base, which must have been played.
std::vector<Cure> cures_of(Experiments& experiments, const Trial& base, const std::vector<Property>& violated);

}  // namespace picklock
