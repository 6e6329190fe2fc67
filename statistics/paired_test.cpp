#include "statistics/paired.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

namespace picklock {
namespace {

PairTable table(std::uint64_t both, std::uint64_t only_a, std::uint64_t only_b, std::uint64_t neither) {
  return {both, only_a, only_b, neither, 0};
}

// C(n, k) / 2^n, summed term by term.
double slow_mcnemar(std::uint64_t b, std::uint64_t c) {
  const std::uint64_t n = b + c;
  double term = std::pow(0.5, static_cast<double>(n)), sum = 0;
  for (std::uint64_t i = 0; i <= std::min(b, c); ++i) {
    sum += term;
    term = term * static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return std::min(1.0, 2 * sum);
}

RC_GTEST_PROP(Paired, McNemarIsTheBinomialTail, ()) {
  const auto b = *rc::gen::inRange<std::uint64_t>(0, 200), c = *rc::gen::inRange<std::uint64_t>(0, 200);
  const double exact = slow_mcnemar(b, c);
  RC_ASSERT(std::abs(mcnemar_exact(table(3, b, c, 5)) - exact) <= 1e-9 * exact);
  RC_ASSERT(mcnemar_exact(table(0, b, c, 0)) == mcnemar_exact(table(7, c, b, 9)));
}

// R 4.2: binom.test(34, 47)$p.value is 0.003087676, binom.test(270, 270)$p.value 1.05422e-81.
TEST(Paired, McNemarAgreesWithR) {
  EXPECT_NEAR(mcnemar_exact(table(392, 34, 13, 2061)), 0.003087676, 5e-9);
  EXPECT_NEAR(mcnemar_exact(table(156, 270, 0, 2074)) / 1.05422e-81, 1, 1e-5);
  EXPECT_EQ(mcnemar_exact(table(10, 0, 0, 10)), 1);
}

// 0 of n: 1 - 0.025^(1/n), in closed form. R 4.2: binom.test(372, 1000)$conf.int is 0.3419573 to 0.4027988.
TEST(Paired, ClopperPearsonAgreesWithClosedFormsAndR) {
  for (const std::uint64_t n : {1u, 10u, 1000u, 1'000'000u}) {
    EXPECT_EQ(clopper_pearson(0, n).low, 0);
    EXPECT_NEAR(clopper_pearson(0, n).high, -std::expm1(std::log(0.025) / static_cast<double>(n)), 1e-9);
    EXPECT_EQ(clopper_pearson(n, n).high, 1);
  }
  EXPECT_NEAR(clopper_pearson(372, 1000).low, 0.3419573, 5e-7);
  EXPECT_NEAR(clopper_pearson(372, 1000).high, 0.4027988, 5e-7);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

// Figures that were measured with 2,500 pairs.
TEST(Paired, GainAndDifference) {
  EXPECT_NEAR(gain_of_pairing(table(156, 270, 0, 2074)).value(), 2.07, 0.005);
  EXPECT_NEAR(gain_of_pairing(table(392, 34, 13, 2061)).value(), 14.8, 0.05);
  const Estimate d = difference_of_shares(table(392, 34, 13, 2061)).value();
  EXPECT_NEAR(d.value, -21.0 / 2500, 1e-12);
  EXPECT_LT(d.high, 0);
  EXPECT_FALSE(difference_of_shares({}));
  EXPECT_FALSE(gain_of_pairing(table(3, 0, 0, 7)));
}

TEST(Paired, RatioOfDifferingPairs) {
  EXPECT_FALSE(ratio_of_differing(table(5, 0, 0, 5)));
  const Estimate never_a = ratio_of_differing(table(0, 0, 8, 0)).value();
  EXPECT_TRUE(std::isinf(never_a.value) && std::isinf(never_a.high));
  EXPECT_GT(never_a.low, 1);
  const Estimate even = ratio_of_differing(table(0, 50, 50, 0)).value();
  EXPECT_NEAR(even.value, 1, 1e-12);
  EXPECT_NEAR(even.low * even.high, 1, 1e-9);
}

// The interval of a difference holds the true one in about 95 of 100 samples.
TEST(Paired, IntervalsCoverTheTruth) {
  std::mt19937_64 draw(1);
  std::discrete_distribution<int> cell({0.10, 0.12, 0.05, 0.73});
  int covered = 0;
  constexpr int kSamples = 2000;
  for (int sample = 0; sample < kSamples; ++sample) {
    PairTable t;
    for (int i = 0; i < 200; ++i) {
      std::uint64_t* const cells[] = {&t.both, &t.only_a, &t.only_b, &t.neither};
      ++*cells[cell(draw)];
    }
    const Estimate d = difference_of_shares(t).value();
    covered += d.low <= -0.07 && -0.07 <= d.high;
  }
  EXPECT_GT(covered, kSamples * 93 / 100);
  EXPECT_LT(covered, kSamples * 97 / 100);
}

// R 4.2: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") gives 0.03 0.06 0.06 0.02.
TEST(Paired, HolmAgreesWithR) {
  const std::vector<double> adjusted = holm({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12);
  EXPECT_TRUE(holm({}).empty());
}

// R 4.2: t.test(c(1, 2, 3, 4))$conf.int is 0.4457397 to 4.55426.
TEST(PairedDifferences, MeanAgreesWithStudent) {
  PairedDifferences d;
  for (const std::int64_t difference : {1, 2, 3, 4}) d.add(10, 10 + difference);
  const Estimate mean = d.mean().value();
  EXPECT_NEAR(mean.value, 2.5, 1e-12);
  EXPECT_NEAR(mean.low, 0.4457397, 1e-6);
  EXPECT_NEAR(mean.high, 4.5542603, 1e-6);
  EXPECT_EQ(d.higher_in_b(), 4u);
  EXPECT_FALSE(PairedDifferences().mean());
}

RC_GTEST_PROP(PairedDifferences, OrderDoesNotMatter, (const std::vector<std::pair<int, int>>& values)) {
  PairedDifferences forwards, front, back;
  for (std::size_t i = 0; i < values.size(); ++i) {
    forwards.add(values[i].first, values[i].second);
    (i % 2 == 0 ? front : back).add(values[i].first, values[i].second);
  }
  back.add(front);
  RC_ASSERT(back == forwards);
}

}  // namespace
}  // namespace picklock
