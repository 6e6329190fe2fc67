#include "statistics/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/binomial.hpp"

namespace picklock {
namespace intervals_test {

// The defining equation: the ends are the shares whose distance from the observed one is z standard
// errors of their own.
TEST(Wilson, TheEndsSolveTheScoreEquation) {
  for (const std::uint64_t n : {1u, 10u, 1'000u, 1'000'000u}) {
    for (const std::uint64_t k : {n / 10, n / 3, n / 2, n - n / 7}) {
      const ShareInterval interval = wilson(k, n);
      const double p = static_cast<double>(k) / static_cast<double>(n);
      for (const double end : {interval.low, interval.high}) {
        const double error = std::sqrt(end * (1 - end) / static_cast<double>(n));
        EXPECT_NEAR(std::abs(p - end), kNormal975 * error, 1e-9) << k << " of " << n;
      }
      EXPECT_LE(interval.low, p);
      EXPECT_GE(interval.high, p);
    }
  }
}

TEST(Wilson, KnownValues) {
  EXPECT_NEAR(wilson(0, 10).high, 0.277533, 1e-6);  // z² / (n + z²)
  EXPECT_EQ(wilson(0, 10).low, 0);
  EXPECT_EQ(wilson(10, 10).high, 1);
  EXPECT_NEAR(wilson(50, 100).low, 0.403832, 1e-6);
  EXPECT_NEAR(wilson(50, 100).high, 0.596168, 1e-6);
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(UpperBound, OfNoneInN) {
  for (const std::uint64_t n : {1u, 20u, 10'000u}) {
    const double bound = upper_bound_after_none(n);
    EXPECT_NEAR(std::pow(1 - bound, static_cast<double>(n)), 0.05, 1e-9);
  }
  EXPECT_NEAR(upper_bound_after_none(10'000), 0.000299528, 1e-9);
  EXPECT_EQ(upper_bound_after_none(0), 1);
}

TEST(NormalQuantile, HasTheTailThatItsNameSays) { EXPECT_NEAR(std::erfc(kNormal975 / std::sqrt(2)) / 2, 0.025, 1e-15); }

TEST(Binomial, TailsAddUp) {
  EXPECT_NEAR(chance_of_at_most(0, 10, 0.5), 1.0 / 1024, 1e-15);
  EXPECT_EQ(chance_of_at_least(0, 10, 0.5), 1);
  for (const std::uint64_t k : {1u, 5u, 10u}) {
    EXPECT_NEAR(chance_of_at_least(k, 10, 0.3) + chance_of_at_most(k - 1, 10, 0.3), 1, 1e-12) << k;
  }
}

}  // namespace intervals_test
}  // namespace picklock
