#include "base/law.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace picklock {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// Random bits that every build shares (splitmix64).
class Bits {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 2026;
};

// --- golden values: a run is the same on every compiler at every level only if these are

constexpr std::array<std::uint64_t, 7> kBits = {
    0, 1, 0x0123456789abcdef, 0x8000000000000000, 0xdeadbeefcafef00d, 0xfffffffffffffffe, 0xffffffffffffffff};
using Golden = std::array<std::int64_t, kBits.size()>;

Golden samples(const Law& law) {
  Golden all{};
  for (std::size_t i = 0; i < kBits.size(); ++i) all[i] = law.sample(kBits[i]);
  return all;
}

TEST(LawGolden, Constant) { EXPECT_EQ(samples(Law::constant(7)), (Golden{7, 7, 7, 7, 7, 7, 7})); }

TEST(LawGolden, Uniform) {
  EXPECT_EQ(samples(Law::uniform(5 * kMs, 10 * kMs)),
            (Golden{5000000, 5000000, 5022222, 7500000, 9349194, 10000000, 10000000}));
  EXPECT_EQ(samples(Law::uniform(-3, 3)), (Golden{-3, -3, -3, 0, 3, 3, 3}));
}

TEST(LawGolden, Exponential) {
  EXPECT_EQ(samples(Law::exponential(10 * kMs, 1000 * kMs)),
            (Golden{443614195, 436682723, 54161015, 6931471, 1394481, 0, 0}));
  EXPECT_EQ(samples(Law::exponential(10 * kMs, 20 * kMs)),
            (Golden{20000000, 20000000, 20000000, 6931471, 1394481, 0, 0}));
}

TEST(LawGolden, HeavyTailed) {
  constexpr std::int64_t kCap = 90'000 * kMs;
  EXPECT_EQ(samples(Law::heavy_tailed(kMs, 1500, kCap)),
            (Golden{kCap, kCap, 36993243, 1587402, 1097424, 1000000, 1000000}));
  EXPECT_EQ(samples(Law::heavy_tailed(kMs, 100, kCap)),
            (Golden{kCap, kCap, kCap, 1024000000, 4032882, 1000000, 1000000}));
}

TEST(LawGolden, Table) {
  EXPECT_EQ(samples(Law::table({{1, 99}, {90, 1}})), (Golden{1, 1, 1, 1, 1, 90, 90}));
  EXPECT_EQ(samples(Law::table({{30, 1}, {10, 0}, {20, 1}})), (Golden{30, 30, 30, 20, 20, 20, 20}));
}

// Ten thousand draws folded into one number: a pin for the bits in between.
TEST(LawGolden, TenThousandDraws) {
  const auto fold = [](const Law& law) {
    Bits bits;
    std::uint64_t hash = 0;
    for (int i = 0; i < 10'000; ++i) {
      hash = (hash ^ static_cast<std::uint64_t>(law.sample(bits.next()))) * 0x100000001b3U;
    }
    return hash;
  };
  EXPECT_EQ(fold(Law::uniform(5 * kMs, 10 * kMs)), 2476892954345949268U);
  EXPECT_EQ(fold(Law::exponential(10 * kMs, 1000 * kMs)), 7400756662630919440U);
  EXPECT_EQ(fold(Law::heavy_tailed(kMs, 1500, 90'000 * kMs)), 2559096072666134504U);
  EXPECT_EQ(fold(Law::table({{1, 5}, {2, 3}, {3, 2}})), 7858593141819488016U);
}

// --- against libm, which the laws themselves must not use

TEST(LawShape, ExponentialFollowsTheLogarithm) {
  const Law law = Law::exponential(1'000'000'000, 1'000'000'000'000);
  Bits bits;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t b = bits.next();
    const double exact = -1e9 * std::log((static_cast<double>(b) + 1) / 0x1p64);
    EXPECT_NEAR(static_cast<double>(law.sample(b)), exact, 4e3) << b;  // 4 µs of 1 s
  }
}

TEST(LawShape, ParetoFollowsThePower) {
  const Law law = Law::heavy_tailed(1'000'000, 1500, 1'000'000'000'000'000);
  Bits bits;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t b = bits.next();
    const double exact = 1e6 * std::pow((static_cast<double>(b) + 1) / 0x1p64, -1 / 1.5);
    EXPECT_NEAR(static_cast<double>(law.sample(b)) / exact, 1, 1e-5) << b;
  }
}

// --- statistics, in integers

constexpr std::int64_t kDraws = 200'000;

std::int64_t mean_of(const Law& law) {
  Bits bits;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < kDraws; ++i) sum += law.sample(bits.next());
  return sum / kDraws;
}

bool near(std::int64_t a, std::int64_t b, std::int64_t within) { return std::llabs(a - b) <= within; }

std::int64_t count_above(const Law& law, std::int64_t bound) {
  Bits bits;
  std::int64_t above = 0;
  for (std::int64_t i = 0; i < kDraws; ++i) above += law.sample(bits.next()) > bound;
  return above;
}

TEST(LawStatistics, UniformIsFlat) {
  const Law law = Law::uniform(0, 9);
  std::array<std::int64_t, 10> seen{};
  Bits bits;
  for (std::int64_t i = 0; i < kDraws; ++i) ++seen[static_cast<std::size_t>(law.sample(bits.next()))];
  std::int64_t squares = 0;  // Σ (n - N/10)², to be divided by N/10
  for (const std::int64_t n : seen) {
    squares += (n - kDraws / 10) * (n - kDraws / 10);
  }
  EXPECT_LT(squares / (kDraws / 10), 28);  // 9 degrees of freedom, p = 0.001
}

TEST(LawStatistics, ExponentialHasItsMeanAndNoMemory) {
  const Law law = Law::exponential(10 * kMs, 1000 * kMs);
  EXPECT_TRUE(near(mean_of(law), 10 * kMs, kMs / 10));
  const std::int64_t once = count_above(law, 10 * kMs);
  const std::int64_t twice = count_above(law, 20 * kMs);
  EXPECT_TRUE(near(once * once / kDraws, twice, kDraws / 200));
}

TEST(LawStatistics, ParetoHasItsTail) {
  // P(X > 4 · least) = 4^-1.5 = 1/8.
  const Law law = Law::heavy_tailed(kMs, 1500, 90'000 * kMs);
  EXPECT_TRUE(near(count_above(law, 4 * kMs), kDraws / 8, kDraws / 200));
}

TEST(LawStatistics, TableKeepsItsWeights) {
  const Law law = Law::table({{1, 99}, {90, 1}});
  EXPECT_TRUE(near(count_above(law, 1), kDraws / 100, kDraws / 500));
}

// --- what holds of every law

rc::Gen<Law> any_law() {
  using rc::gen::inRange;
  const auto value = [] { return inRange<std::int64_t>(0, std::int64_t{1} << 50); };
  return rc::gen::oneOf(
      rc::gen::map(value(), [](std::int64_t v) { return Law::constant(v); }),
      rc::gen::map(rc::gen::pair(value(), value()),
                   [](const auto& p) {
                     return Law::uniform(std::min(p.first, p.second) - (std::int64_t{1} << 49),
                                         std::max(p.first, p.second));
                   }),
      rc::gen::map(rc::gen::pair(value(), value()), [](const auto& p) { return Law::exponential(p.first, p.second); }),
      rc::gen::map(rc::gen::tuple(value(), inRange(100, 10'001), value()),
                   [](const auto& t) {
                     const auto [a, alpha, b] = t;
                     return Law::heavy_tailed(std::min(a, b), alpha, std::max(a, b));
                   }),
      rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<std::int64_t, std::uint8_t>>>(
                       rc::gen::pair(value(), rc::gen::arbitrary<std::uint8_t>()))),
                   [](const auto& pairs) {
                     std::vector<Law::Choice> choices;
                     for (const auto& [v, weight] : pairs) choices.push_back({v, weight + 1U});
                     return Law::table(std::move(choices));
                   }));
}

RC_GTEST_PROP(LawProperty, ASampleLiesInItsRange, ()) {
  const Law law = *any_law();
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  for (const std::uint64_t b : {bits, ~bits, std::uint64_t{0}, ~std::uint64_t{0}}) {
    RC_ASSERT(law.sample(b) >= law.low());
    RC_ASSERT(law.sample(b) <= law.high());
  }
}

RC_GTEST_PROP(LawProperty, TheCalmElementCanBeDrawn, ()) {
  const Law law = *any_law();
  RC_ASSERT(law.calm() >= law.low());
  RC_ASSERT(law.calm() <= law.high());
  if (law.kind() == Law::Kind::table) RC_ASSERT(law.sample(0) == law.calm());
}

RC_GTEST_PROP(LawProperty, ALongTailShrinksAsTheBitsGrow, (std::uint64_t a, std::uint64_t b)) {
  for (const Law& law : {Law::exponential(kMs, 1000 * kMs), Law::heavy_tailed(kMs, 1200, 1000 * kMs)}) {
    RC_ASSERT(law.sample(std::min(a, b)) >= law.sample(std::max(a, b)));
  }
}

RC_GTEST_PROP(LawProperty, EqualityIsOfAllThatMatters, ()) {
  const Law a = *any_law(), b = *any_law();
  RC_ASSERT(a == a);
  if (a == b) {
    const auto bits = *rc::gen::arbitrary<std::uint64_t>();
    RC_ASSERT(a.sample(bits) == b.sample(bits));
  }
}

TEST(Law, NoneGivenIsZero) {
  EXPECT_EQ(Law().sample(12345), 0);
  EXPECT_EQ(Law(), Law::constant(0));
}

TEST(LawDeathTest, NonsenseIsRefused) {
  EXPECT_DEATH(Law::uniform(2, 1), "low <= high");
  EXPECT_DEATH(Law::exponential(-1, 1), "mean >= 0");
  EXPECT_DEATH(Law::heavy_tailed(2, 1500, 1), "least <= cap");
  EXPECT_DEATH(Law::heavy_tailed(1, 99, 2), "alpha_milli");
  EXPECT_DEATH(Law::table({}), "empty");
  EXPECT_DEATH(Law::table({{1, 0}}), "total_weight_");
}

}  // namespace
}  // namespace picklock
