#include "checker/properties/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace picklock {
namespace {

// The defining equation: the ends are the shares whose distance from the observed one is z standard
// errors of their own.
TEST(Wilson, TheEndsSolveTheScoreEquation) {
  const double z = 1.959963984540054;
  for (const std::uint64_t n : {1u, 10u, 1'000u, 1'000'000u}) {
    for (const std::uint64_t k : {n / 10, n / 3, n / 2, n - n / 7}) {
      const ShareInterval interval = wilson(k, n);
      const double p = static_cast<double>(k) / static_cast<double>(n);
      for (const double end : {interval.low, interval.high}) {
        const double error = std::sqrt(end * (1 - end) / static_cast<double>(n));
        EXPECT_NEAR(std::abs(p - end), z * error, 1e-9) << k << " of " << n;
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

TEST(Tally, LeavesUndecidedRunsOutOfTheShareAndKeepsTheLowestSeed) {
  Tally a, b;
  a.add(Verdict::violated, 9);
  a.add(Verdict::holds, 1);
  b.add(Verdict::violated, 4);
  b.add(Verdict::undecided, 2);
  b.add(Verdict::not_applicable, 3);
  Tally both = a, reversed = b;
  both.add(b);
  reversed.add(a);
  EXPECT_EQ(both, reversed);
  EXPECT_EQ(both.runs(), 5u);
  EXPECT_EQ(both.decided(), 3u);
  EXPECT_DOUBLE_EQ(both.share_violated(), 2.0 / 3);
  EXPECT_EQ(both.seed_of(Verdict::violated), 4u);
  EXPECT_EQ(a.seed_of(Verdict::undecided), std::nullopt);
}

TEST(Tally, IsPrintedWithTheRuleThatWasUsed) {
  Tally tally;
  tally.counts = {1'000, 0, 0, 0};
  EXPECT_EQ(print_share(tally), "0 of 1,000 (95 %: below 0.30 %, 1 - 0.05^(1/N); Wilson 0.38 %)");
  tally.counts = {628, 372, 12, 0};
  EXPECT_EQ(print_share(tally), "37.20 % (372 of 1,000; 95 %: 34.26 to 40.24 %, Wilson); 12 undecided, left out");
  tally.counts = {0, 0, 5, 1'234'567};
  EXPECT_EQ(print_share(tally), "no run was decided; 5 undecided, left out; 1,234,567 not applicable, left out");
}

}  // namespace
}  // namespace picklock
