#include "base/law_tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/hash.hpp"

namespace picklock {
namespace law_tail_test {

constexpr std::int64_t kMs = 1'000'000;

double share_above(const Law& law, std::int64_t x) {
  return std::ldexp(static_cast<double>(patterns_above(law, x)), -64);
}

std::vector<Law> laws() {
  return {Law::uniform(5 * kMs, 10 * kMs),
          Law::uniform(-3, 3),
          Law::exponential(10 * kMs, 1000 * kMs),
          Law::exponential(10 * kMs, 20 * kMs),
          Law::heavy_tailed(kMs, 1500, 90'000 * kMs),
          Law::table({{7, 5}, {3, 1}, {9, 4}, {7, 2}}),
          Law::constant(7)};
}

TEST(LawTail, HasTheClosedForm) {
  const Law exponential = Law::exponential(10 * kMs, 1000 * kMs);
  for (const int x : {0, 5, 50, 100, 200, 300}) {
    EXPECT_NEAR(share_above(exponential, x * kMs) / std::exp(-x / 10.0), 1, 1e-5) << x;
  }
  const Law pareto = Law::heavy_tailed(kMs, 1500, 90'000 * kMs);
  for (const int x : {1, 3, 100, 5000}) EXPECT_NEAR(share_above(pareto, x * kMs) * std::pow(x, 1.5), 1, 1e-4) << x;
  EXPECT_NEAR(share_above(Law::uniform(5 * kMs, 10 * kMs), 6 * kMs), 0.8, 1e-6);
  EXPECT_EQ(patterns_above(Law::uniform(-3, 3), 3), 0u);
  EXPECT_EQ(patterns_above(Law::uniform(-3, 3), -4), ~std::uint64_t{0});
  EXPECT_NEAR(share_above(Law::table({{7, 5}, {3, 1}, {9, 4}, {7, 2}}), 7), 4.0 / 12, 1e-15);
}

// A number of patterns is the number of those that sample() maps above x: counted for a share of all of them.
TEST(LawTail, CountsThePatternsThatSampleMapsAbove) {
  for (const Law& law : laws()) {
    std::array<std::int64_t, 4096> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = law.sample((i << 52) + (std::uint64_t{1} << 51));
    for (std::size_t i = 0; i < values.size(); i += 97) {
      const std::int64_t x = values[i];
      const auto above =
          static_cast<double>(std::count_if(values.begin(), values.end(), [x](std::int64_t v) { return v > x; }));
      EXPECT_NEAR(share_above(law, x), above / 4096, 3.0 / 4096);
    }
  }
}

// Drawn whole, or drawn again at some instant given that it has lasted until then: the same law.
TEST(LawTail, PiecesMakeTheSameLaw) {
  constexpr int kDraws = 200'000;
  for (const Law& law : laws()) {
    const std::int64_t look = law.sample(mix(4, 4));
    std::vector<std::int64_t> whole, pieces;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      whole.push_back(law.sample(mix(i, 1)));
      const std::int64_t first = law.sample(mix(i, 2));
      pieces.push_back(first > look ? sample_above(law, mix(i, 3), look) : first);
      if (first > look) {
        EXPECT_GT(pieces.back(), look);
      }
    }
    std::sort(whole.begin(), whole.end());
    std::sort(pieces.begin(), pieces.end());
    for (std::size_t i = kDraws / 20; i < kDraws; i += kDraws / 20) {  // six standard deviations of a share
      const auto below = std::lower_bound(pieces.begin(), pieces.end(), whole[i]) - pieces.begin();
      const auto up_to = std::upper_bound(pieces.begin(), pieces.end(), whole[i]) - pieces.begin();
      EXPECT_LE(static_cast<double>(below), static_cast<double>(i) + 6 * std::sqrt(kDraws / 4.0));
      EXPECT_GE(static_cast<double>(up_to), static_cast<double>(i) - 6 * std::sqrt(kDraws / 4.0));
    }
  }
}

TEST(LawTail, NothingIsAboveTheLargestValue) {
  for (const Law& law : laws()) {
    EXPECT_EQ(patterns_above(law, law.high()), 0u);
    EXPECT_EQ(sample_above(law, 77, law.high()), law.high());
  }
}

TEST(LawTail, ValuesOfATailAreReachedByAsManyPatterns) {
  for (const Law& law : laws()) {
    for (int bits = 20; bits < 64; bits += 7) {
      const std::uint64_t patterns = std::uint64_t{1} << bits;
      const std::int64_t x = value_reached_by(law, patterns);
      EXPECT_GE(patterns_above(law, x - 1), patterns);
      if (x < law.high()) {
        EXPECT_LT(patterns_above(law, x), patterns);
      }
    }
  }
}

}  // namespace law_tail_test
}  // namespace picklock
