#include "checker/properties/waiting_bound.hpp"

namespace picklock {

std::int64_t bound_of_waiting(Property property, const JudgeOptions& options) {
  switch (property) {
    case Property::lost_wake_up:
      return options.wake_up_bound;
    case Property::orphaned:
      return options.orphan_bound;
    case Property::unserved:
      return options.unserved_bound;
    case Property::starvation:
      return options.starvation_bound;
    default:
      return kNoTime;
  }
}

}  // namespace picklock
