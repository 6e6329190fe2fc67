// The hold that the service names as owner, at one point of a history.
#pragma once

#include <cstdint>

#include "checker/history.hpp"

namespace picklock {

// Does the service name the hold as owner when the record with this index is written?  O(grants).
bool is_named_owner(const History& history, HoldId hold, std::uint32_t index);

}  // namespace picklock
