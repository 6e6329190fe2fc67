// Boots a dead process again, however many deaths are in force; a living one is left alone.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct RestartOptions {
  std::string node{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const RestartOptions& options, PlanNames& names);

}  // namespace picklock
