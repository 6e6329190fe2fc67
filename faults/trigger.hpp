// When a fault is injected, compiled.
#pragma once

#include "faults/names.hpp"
#include "faults/plan.hpp"
#include "sim/core/world.hpp"

namespace picklock {

struct CompiledTrigger {
  std::optional<TriggerPoint> point;  // nothing: `at` decides
  Law at;                             // true time since the start of the run
};

// Says to `names` what is wrong.  A trigger that could never fire is wrong: events are passed as
// such, verbs only before and after.
CompiledTrigger compile_trigger(const Trigger& trigger, PlanNames& names);

// Does a process pass this mark as an event ("enters"), or is it a verb ("writes", "set")?
bool is_event(Mark m);

}  // namespace picklock
