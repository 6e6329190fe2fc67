// For tests: any History that the writer accepts, decided by a tape of numbers, so that shrinking
// the tape shrinks the history.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

History make_history(const std::vector<std::uint32_t>& tape);

}  // namespace picklock
