#include "statistics/samples.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.hpp"

namespace picklock {
namespace samples_test {

TEST(Statistics, AgreeWithTheTables) {
  const std::vector<double> values = {4, 5, 6, 7, 8};
  const Estimate t = student_interval(values);
  EXPECT_NEAR(t.value, 6, 1e-12);
  EXPECT_NEAR(t.low, 6 - 2.776445105 * std::sqrt(2.5 / 5), 1e-6);
  EXPECT_EQ(effective_count({1, 1, 1, 1}), 4);
  EXPECT_EQ(effective_count({1, 0, 0, 0}), 1);
  EXPECT_EQ(largest_share({1, 3}), 0.75);
  EXPECT_EQ(largest_share({}), 0);
}

// Values of a lognormal law, 300 times thirty: Student's t misses a skewed mean more often than the bootstrap of it, and the
// wider of both least often.
TEST(Statistics, TheBootstrapCoversSkewedMeans) {
  constexpr int kTimes = 300;
  int student = 0, bootstrap = 0, wider = 0;
  const auto normal = [](std::uint64_t i) {
    double sum = 0;
    for (std::uint64_t k = 0; k < 12; ++k) sum += std::ldexp(static_cast<double>(mix(i, k)), -64);
    return sum - 6;
  };
  const double truth = std::exp(0.5);
  for (std::uint64_t time = 0; time < kTimes; ++time) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 30; ++i) values.push_back(std::exp(normal(mix(time, i))));
    const Estimate s = student_interval(values), b = bootstrap_interval(values, 600), w = skewed_interval(values, 600);
    student += s.low <= truth && truth <= s.high;
    bootstrap += b.low <= truth && truth <= b.high;
    wider += w.low <= truth && truth <= w.high;
  }
  EXPECT_GT(bootstrap, kTimes * 90 / 100);
  EXPECT_GT(bootstrap, student);
  EXPECT_GE(wider, bootstrap);
  EXPECT_GT(wider, kTimes * 92 / 100);
}

}  // namespace samples_test
}  // namespace picklock
