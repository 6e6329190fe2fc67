#include "statistics/sequential.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.hpp"

namespace picklock {
namespace sequential_test {

// The posterior of Beta(1/2, 1/2) after no hit in n trials over the prior, at p: closed form by Wallis' product.
TEST(ConfidenceSequence, AgreesWithTheClosedFormWhereNothingWasHit) {
  for (const std::uint64_t n : {1u, 10u, 1000u}) {
    double product = 1;  // B(1/2, n + 1/2) / B(1/2, 1/2)
    for (std::uint64_t i = 1; i <= n; ++i) {
      product *= (static_cast<double>(i) - 0.5) / static_cast<double>(i);
    }
    // product / (1 - p)^n = 20
    const double bound = 1 - std::pow(product / 20, 1.0 / static_cast<double>(n));
    const ShareInterval known = confidence_sequence(0, n);
    EXPECT_EQ(known.low, 0);
    EXPECT_NEAR(known.high, bound, 1e-9) << n;
  }
}

TEST(ConfidenceSequence, HasTheFiguresOfKnownCases) {
  EXPECT_NEAR(confidence_sequence(0, 1'000'000).high, 1.05e-5, 1e-7);
  EXPECT_NEAR(confidence_sequence(30, 1'000'000).low, 1.16e-5, 1e-7);
  EXPECT_NEAR(confidence_sequence(30, 1'000'000).high, 6.18e-5, 1e-7);
  EXPECT_NEAR(confidence_sequence(372, 1000).low, 0.317, 1e-3);
  EXPECT_NEAR(confidence_sequence(372, 1000).high, 0.429, 1e-3);
  EXPECT_EQ(confidence_sequence(0, 0).high, 1);
  EXPECT_EQ(confidence_sequence(50, 50).high, 1);
}

TEST(ConfidenceSequence, ExcludesWhatLiesOutside) {
  for (const auto& [hits, trials] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 5000}, {3, 40}, {1, 1'000'000}, {700, 1000}, {999, 1000}, {123'456, 1'000'000'000}}) {
    const ShareInterval known = confidence_sequence(hits, trials);
    EXPECT_TRUE(excludes(known.high * 1.001 < 1 ? known.high * 1.001 : 1 - 1e-12, hits, trials)) << hits;
    EXPECT_FALSE(excludes(known.high * 0.999, hits, trials)) << hits;
    if (hits > 0) {
      EXPECT_TRUE(excludes(known.low * 0.999, hits, trials)) << hits;
      EXPECT_FALSE(excludes(known.low * 1.001, hits, trials)) << hits;
    }
  }
}

// Share of 2,000 campaigns of 4,000 runs each, with a look behind every eighth run.
double share_that_ever_misses(double truth, bool by_fixed_interval) {
  constexpr std::uint64_t kCampaigns = 2000, kRuns = 4000, kLook = 8;
  std::uint64_t misses = 0;
  for (std::uint64_t campaign = 0; campaign < kCampaigns; ++campaign) {
    std::uint64_t hits = 0;
    for (std::uint64_t run = 1; run <= kRuns; ++run) {
      hits += static_cast<double>(mix(campaign, run) >> 11) * 0x1p-53 < truth;
      if (run % kLook != 0) continue;
      const ShareInterval fixed = wilson(hits, run);
      const bool missed = by_fixed_interval ? truth < fixed.low || truth > fixed.high : excludes(truth, hits, run);
      if (!missed) continue;
      ++misses;
      break;
    }
  }
  return static_cast<double>(misses) / kCampaigns;
}

TEST(ConfidenceSequence, ContainsTheTruthAtAllLooksTogether) {
  for (const double truth : {0.003, 0.05, 0.4}) EXPECT_LE(share_that_ever_misses(truth, false), 0.05) << truth;
}

// Otherwise there would be no need for it.
TEST(ConfidenceSequence, AnIntervalOfAFixedNumberOfRunsDoesNot) { EXPECT_GT(share_that_ever_misses(0.4, true), 0.2); }

}  // namespace sequential_test
}  // namespace picklock
