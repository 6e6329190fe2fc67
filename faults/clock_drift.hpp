// Both clocks of a host run too fast or too slow.  Drifts that overlap add up.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct ClockDriftOptions {
  std::string node{};
  std::int64_t ppm = 0;
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const ClockDriftOptions& options, PlanNames& names);

}  // namespace picklock
