#include "faults/planned_deaths.hpp"

#include <gtest/gtest.h>

#include "faults/text.hpp"

namespace picklock {
namespace {

TEST(PlannedDeaths, AreKillsAndPowerLossesInTheOrderOfThePlan) {
  FaultPlan plan;
  ASSERT_FALSE(
      parse_plan("power-loss node=redis2 at=5ms stays=true\npause node=redis1 lasts=1s\n"
                 "kill node=a\nrestart node=redis2 at=1s\npower-loss",
                 plan));
  EXPECT_EQ(planned_deaths(plan), (std::vector<PlannedDeath>{{"redis2", true}, {"a", false}, {"", false}}));
}

}  // namespace
}  // namespace picklock
