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

// Does the answer to an acquire say whose hold it is, and the question not?
constexpr bool named_by_answer(const OperationEvent& invoke, const OperationEvent& end) {
  return invoke.hold == kNoHold && end.hold != kNoHold;
}

}  // namespace picklock
