#include "sim/quorum/majority.hpp"

#include <array>

#include "base/check.hpp"

namespace picklock {

std::uint64_t reached_by_majority(std::span<const std::uint64_t> positions) {
  PICKLOCK_CHECK(!positions.empty() && positions.size() <= kMostVoters);
  std::array<std::uint64_t, kMostVoters> sorted;
  std::size_t n = 0;
  for (const std::uint64_t position : positions) {  // positions are few
    std::size_t at = n++;
    for (; at > 0 && sorted[at - 1] < position; --at) sorted[at] = sorted[at - 1];
    sorted[at] = position;
  }
  return sorted[majority_of(n) - 1];
}

}  // namespace picklock
