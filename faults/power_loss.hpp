// Cuts the power of a host.  Silence: peers hear resets only from the rebooted host; what was not
// synced is lost.
#pragma once

#include "faults/death.hpp"

namespace picklock {

struct PowerLossOptions {
  std::string node{};
  std::optional<Law> restart_after{};
  bool stays = false;
  void fields(FieldVisitor& v) { visit_death(v, node, restart_after, stays); }
};

inline std::unique_ptr<ArmedFault> arm_fault(const PowerLossOptions& o, PlanNames& names) {
  return arm_death(&Faults::lose_power, {o.node, o.restart_after, o.stays}, names);
}

}  // namespace picklock
