#include "algorithms/redlock/node_redlock_4.hpp"

namespace picklock {

Hold NodeRedlock4::propose(std::int64_t attempt) {
  if (attempt == 1) value_of_call_ = Redlock::propose(attempt).value;
  return Hold(value_of_call_);
}

}  // namespace picklock
