#include "statistics/intervals.hpp"

#include <algorithm>
#include <cmath>

namespace picklock {

ShareInterval wilson(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return {};
  const double n = static_cast<double>(trials);
  const double p = static_cast<double>(hits) / n;
  const double z2 = kNormal975 * kNormal975;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double radius = kNormal975 / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  // At the ends the formula gives exactly 0 and 1; rounding must not miss them.
  return {hits == 0 ? 0.0 : std::max(0.0, middle - radius), hits == trials ? 1.0 : std::min(1.0, middle + radius)};
}

double upper_bound_after_none(std::uint64_t trials) {
  if (trials == 0) return 1;
  return -std::expm1(std::log(0.05) / static_cast<double>(trials));
}

}  // namespace picklock
