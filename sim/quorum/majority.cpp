#include "sim/quorum/majority.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/check.hpp"

namespace picklock {

std::uint64_t reached_by_majority(std::span<const std::uint64_t> positions) {
  PICKLOCK_CHECK(!positions.empty() && positions.size() <= kMostVoters);
  std::array<std::uint64_t, kMostVoters> sorted;
  const auto end = std::copy(positions.begin(), positions.end(), sorted.begin());
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(majority_of(positions.size()) - 1);
  std::nth_element(sorted.begin(), at, end, std::greater<>());
  return *at;
}

}  // namespace picklock
