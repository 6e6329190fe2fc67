// Broken assumptions of the lock, and whether one of them alone lets the property be violated.
//
// All trials of the explanation that violate the property are looked through, so it is best asked last.
#pragma once

#include "instruments/explain/claims.hpp"

namespace picklock {

Assumptions assumptions_of(const Experiments& experiments, const Trial& base, Property property);

}  // namespace picklock
