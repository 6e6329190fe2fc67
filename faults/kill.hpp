// Kills a process (SIGKILL, the out-of-memory killer).  The kernel survives: what had been sent is
// delivered, peers see their connections close, the page cache is kept.
#pragma once

#include "faults/death.hpp"

namespace picklock {

struct KillOptions {
  std::string node{};
  std::optional<Law> restart_after{};
  bool stays = false;
  void fields(FieldVisitor& v) { visit_death(v, node, restart_after, stays); }
};

inline std::unique_ptr<ArmedFault> arm_fault(const KillOptions& o, PlanNames& names) {
  return arm_death(&Faults::kill, {o.node, o.restart_after, o.stays}, names);
}

}  // namespace picklock
