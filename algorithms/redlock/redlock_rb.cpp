#include "algorithms/redlock/redlock_rb.hpp"

namespace picklock {

Hold RedlockRb::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

}  // namespace picklock
