// Stops a process, or one named task of it: a garbage collection, SIGSTOP, a debugger.  Its clocks
// run on; its kernel accepts, acknowledges and buffers.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct PauseOptions {
  std::string node{};
  std::string task{};  // task to pause, now or later in the same process; empty: everything
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const PauseOptions& options, PlanNames& names);

}  // namespace picklock
