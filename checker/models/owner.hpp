// The owner of a lock: the hold that an operation names, else its process.
#pragma once

#include <cstdint>

#include "checker/history.hpp"

namespace picklock {

using OwnerKey = std::int64_t;  // a process, or -1 - hold

// The hold that the operation names, else its process.
constexpr OwnerKey owner_of(const OperationEvent& event) {
  return event.hold != kNoHold ? -1 - OwnerKey{event.hold} : OwnerKey{event.process};
}

}  // namespace picklock
