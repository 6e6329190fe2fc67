// A wall clock is wrong by an offset: from the start, or set wrong at an instant.  A clock-step moves
// the clock *by* an amount; this fault sets its difference from true time.
//
// Without `lasts` it stays wrong, healing or not: to set a clock right is a step, and steps hurt.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct ClockOffsetOptions {
  std::string node{};
  Duration by{};
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const ClockOffsetOptions& options, PlanNames& names);

}  // namespace picklock
