// The common part of `kill` and `power-loss`: a process that is gone, and comes back or does not.
//
// Deaths of one node that overlap nest: it comes back when the last of them ends.  Healing ends all
// but those that stay; an explicit restart ends them all.
#pragma once

#include <memory>

#include "faults/armed_fault.hpp"
#include "faults/names.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct DeathSpec {
  std::string_view node;
  std::optional<Law> restart_after;
  bool stays = false;
};

void visit_death(FieldVisitor& v, std::string& node, std::optional<Law>& restart_after, bool& stays);

// `inject` is World::kill or World::lose_power.
std::unique_ptr<ArmedFault> arm_death(void (Faults::*inject)(NodeId), const DeathSpec& spec, PlanNames& names);

}  // namespace picklock
