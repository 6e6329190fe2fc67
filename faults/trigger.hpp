// The trigger of a fault, compiled.
#pragma once

#include "faults/names.hpp"
#include "faults/plan.hpp"
#include "sim/core/world.hpp"

namespace picklock {

struct CompiledTrigger {
  std::optional<TriggerPoint> point;  // nothing: `at` decides
  Law at;                             // true time since the start of the run
};

// Tells `names` the mistakes.  A trigger that could never fire is one: events are passed as
// such, verbs only before and after.
CompiledTrigger compile_trigger(const Trigger& trigger, PlanNames& names);

// True if a process passes this mark as an event ("enters"), false if it is a verb ("writes", "set").
bool is_event(Mark m);

}  // namespace picklock
