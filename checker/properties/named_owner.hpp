// The hold that the service names as owner, at one point of a history.
#pragma once

#include <cstdint>
#include <string>

#include "checker/history.hpp"

namespace picklock {

// A client that believed in a hold which the service did not name until that belief was over, though it named others of the lock:
// "b believed that it held L although the service never named it (its acquire was refused)", or "never named it in that time".
// Empty: it did name the hold, or none at all.
std::string never_named(const History& history, HoldId hold);

// Does the service name the hold as owner no more after this change?
constexpr bool ends_ownership(GrantChange change) {
  return change == GrantChange::end || change == GrantChange::released || change == GrantChange::forced;
}

// Does the service name the hold as owner when the record with this index is written?  O(grants).
bool is_named_owner(const History& history, HoldId hold, std::uint32_t index);

}  // namespace picklock
