// A share of the segments is lost, each by its own draw; TCP sends them again: 200 ms later,
// then twice that, and so on.  Shares do not add up: two losses of one link share their draws, and
// the larger decides.
#pragma once

#include "faults/network_fault.hpp"

namespace picklock {

struct LossOptions {
  std::string from{}, to{};
  std::int64_t share_ppm = 100'000;  // out of a million segments
  std::optional<Law> lasts{};
  void fields(FieldVisitor& v);
};

std::unique_ptr<ArmedFault> arm_fault(const LossOptions& options, PlanNames& names);

}  // namespace picklock
