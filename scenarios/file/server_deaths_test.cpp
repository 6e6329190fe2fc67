#include "scenarios/file/server_deaths.hpp"

#include <gtest/gtest.h>

#include "faults/text.hpp"

namespace picklock {
namespace {

TEST(ServerDeaths, AreNotThoseOfClientsTheirMachinesAndTheStorage) {
  Scenario s;
  s.clients.resize(2);
  s.clients[0].name = "a";
  s.clients[1].name = "b";
  s.clients[1].machine = "jvm";
  ASSERT_FALSE(
      parse_plan("kill node=a stays=true\nkill node=jvm stays=true\npower-loss node=b stays=true\n"
                 "power-loss node=storage stays=true\nkill node=redis1 stays=true\n"
                 "power-loss node=redis1 stays=true\nkill node=redis2",
                 s.faults));
  EXPECT_EQ(server_deaths(s), (std::vector<PlannedDeath>{{"redis1", true}, {"redis1", true}, {"redis2", false}}));
  EXPECT_EQ(servers_that_stay_dead(s), 1U);
}

}  // namespace
}  // namespace picklock
