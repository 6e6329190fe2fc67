// Stops a whole host with its kernel and its clocks: a virtual machine that is suspended or migrated.
// No segment is acknowledged; peers retransmit.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

constexpr auto enum_names(Thaw) { return name_list("lags", "catches-up"); }

struct FreezeOptions {
  std::string node{};
  Thaw thaw = Thaw::lags;
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const FreezeOptions& options, PlanNames& names);

}  // namespace picklock
