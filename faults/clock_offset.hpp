// A wall clock is wrong by so much: from the start, or set wrong at an instant.  Unlike a clock-step,
// which moves it *by* so much, this says what it then differs from true time.
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
