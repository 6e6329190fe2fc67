// Intervals of a share, and of any other estimate. All are of 95 %.
#pragma once

#include <cstdint>

namespace picklock {

inline constexpr double kNormal975 = 1.959963984540054;  // the 0.975 quantile of the normal distribution

struct ShareInterval {
  double low = 0;
  double high = 1;
};

struct Estimate {
  double value = 0, low = 0, high = 0;
};

// Wilson's score interval for `hits` in `trials` (E. B. Wilson, JASA 22 (1927) 209–212); 0 to 1 without trials.
ShareInterval wilson(std::uint64_t hits, std::uint64_t trials);

// The exact two-sided interval (C. Clopper, E. Pearson, Biometrika 26 (1934) 404–413); 0 to 1 without trials.
ShareInterval clopper_pearson(std::uint64_t hits, std::uint64_t trials);

// If the share were above this, `trials` runs without a hit would have a chance below 5 %: the
// exact one-sided bound 1 - 0.05^(1/N); 1 without trials.
double upper_bound_after_none(std::uint64_t trials);

}  // namespace picklock
