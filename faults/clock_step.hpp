// A wall clock jumps: NTP, an operator, a leap second.  Without `lasts` there is nothing to lift: the
// jump is over at once, and healing does not jump back.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct ClockStepOptions {
  std::string node{};
  Duration by{};
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const ClockStepOptions& options, PlanNames& names);

}  // namespace picklock
