// Events of a run near an instant: what a trigger can wait for instead.
#pragma once

#include <cstdint>
#include <vector>

#include "faults/plan.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

// Triggers "a enters", "before b writes", … that would have come nearest to the instant, nearest first; at most `most`.
std::vector<Trigger> events_near(const Scenario& scenario, std::uint64_t seed, Duration instant, std::size_t most);

}  // namespace picklock
