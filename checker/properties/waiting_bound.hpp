// How long a client has to wait, or to stand still, or a hold to be an orphan, until that violates a property.
#pragma once

#include <cstdint>

#include "checker/properties/options.hpp"
#include "checker/properties/property.hpp"

namespace picklock {

// In ns; kNoTime: the run does not say, or the property has no such bound.
std::int64_t bound_of_waiting(Property property, const JudgeOptions& options);

}  // namespace picklock
