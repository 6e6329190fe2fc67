// Plans that do a twin no harm: what fails in both says nothing of their difference, and hides what else the plan does.
#pragma once

#include <cstdint>

#include "instruments/hunt/judge.hpp"

namespace picklock {

// Plays the scenario.  If it fails in the twin as well, it leaves out the faults that harm the twin, one by one as they stand,
// until the twin holds, and plays the rest: `drawn` is then that rest.  Without a twin: plays it.
PlanOutcome play_what_spares_the_twin(const Judge& judge, Scenario& drawn, std::uint64_t seed);

}  // namespace picklock
