// Faults of a plan that were injected in a run and found something to disturb, as its journal shows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faults/course.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// Result for each fault of the plan, which has `faults` of them.
std::vector<Strike> strikes_of(std::span<const TraceRecord> journal, std::size_t faults);

}  // namespace picklock
