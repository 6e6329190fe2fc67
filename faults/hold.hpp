// Segments wait in the network, none lost, until the fault ends; then they go on their way, with
// those that waited behind them.
#pragma once

#include "faults/network_fault.hpp"

namespace picklock {

struct HoldOptions {
  std::string from{}, to{};
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const HoldOptions& options, PlanNames& names);

}  // namespace picklock
