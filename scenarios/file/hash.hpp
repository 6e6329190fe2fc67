// The identity of a scenario.
#pragma once

#include <cstdint>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// Covers all that a run and its verdicts depend on: not the name, the description and what is
// expected.  Options that are left out count as what they then are.
std::uint64_t scenario_hash(const Scenario& scenario);

}  // namespace picklock
