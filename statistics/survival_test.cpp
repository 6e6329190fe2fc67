#include "statistics/survival.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace survival_test {

Histogram of(const std::vector<std::int64_t>& values) {
  Histogram h;
  for (const std::int64_t v : values) h.add(v);
  return h;
}

// Weeks of remission under 6-mercaptopurine (Freireich and others, Blood 21 (1963) 699–716), as in textbooks.
TEST(Survival, AgreesWithAKnownTable) {
  const auto steps =
      kaplan_meier(of({6, 6, 6, 7, 10, 13, 16, 22, 23}), of({6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}));
  const std::vector<std::int64_t> times = {6, 7, 10, 13, 16, 22, 23};
  const std::vector<std::uint64_t> at_risk = {21, 17, 15, 12, 11, 7, 6};
  const std::vector<double> shares = {0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482};
  ASSERT_EQ(steps.size(), times.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].time, times[i]);
    EXPECT_EQ(steps[i].at_risk, at_risk[i]);
    EXPECT_NEAR(steps[i].share, shares[i], 5e-5);
  }
  // survfit(…, conf.type = "log-log")
  EXPECT_NEAR(steps[0].low, 0.6197, 5e-5);
  EXPECT_NEAR(steps[0].high, 0.9516, 5e-5);
  EXPECT_EQ(median_survival(steps), 23);
}

TEST(Survival, WithoutCensoringIsTheShareOfLargerTimes) {
  const auto steps = kaplan_meier(of({1, 2, 3, 4}), Histogram());
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_NEAR(steps[0].share, 0.75, 1e-12);
  EXPECT_NEAR(steps[2].share, 0.25, 1e-12);
  EXPECT_EQ(steps[3].share, 0);
  EXPECT_EQ(median_survival(steps), 2);
  EXPECT_TRUE(kaplan_meier(Histogram(), of({5, 6})).empty());
  EXPECT_FALSE(median_survival({}));
}

}  // namespace survival_test
}  // namespace picklock
