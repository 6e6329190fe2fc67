// Bounds on a client's wait or standstill, and on an orphan, beyond which a property is violated.
#pragma once

#include <cstdint>

#include "checker/properties/options.hpp"
#include "checker/properties/property.hpp"

namespace picklock {

// The bound in ns; kNoTime: the run or the property has no such bound.
std::int64_t bound_of_waiting(Property property, const JudgeOptions& options);

}  // namespace picklock
