// Faults of a plan that were injected in a run and found something to disturb, as its journal shows.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {

enum class Strike : std::uint8_t {
  not_injected,  // its trigger never came
  missed,        // there was nothing to disturb whenever it was injected
  injected
};

// By index in the plan, which has `faults` of them.
std::vector<Strike> strikes_of(const World& world, std::size_t faults);

}  // namespace picklock
