// Plays a run again without one fault of its plan.
#pragma once

#include <cstddef>
#include <memory>

#include "scenarios/run/record.hpp"

namespace picklock {

// Its history; null: the scenario cannot be played without the fault.
std::shared_ptr<const History> history_without(const RunRecord& record, std::size_t fault);

}  // namespace picklock
