// Every write and every fsync of a disk takes longer, each by its own draw.  If several are in force,
// the newest decides.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct SlowDiskOptions {
  std::string node{};
  Law by = Law::constant(milliseconds(100));
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const SlowDiskOptions& options, PlanNames& names);

}  // namespace picklock
