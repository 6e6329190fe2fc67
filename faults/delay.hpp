// Segments take longer: each by its own draw.  Order within a connection is kept, so a segment that
// follows a late one is late as well.  The oldest of several delays of a link decides.
#pragma once

#include "faults/network_fault.hpp"

namespace picklock {

struct DelayOptions {
  std::string from{}, to{};
  Law by = Law::constant(milliseconds(100));
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const DelayOptions& options, PlanNames& names);

}  // namespace picklock
