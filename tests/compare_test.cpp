// `picklock compare` as a user meets it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace compare_test {

bool says(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

TEST(Compare, ShowsThatATokenKeepsUpdatesAndNotTheLock) {
  const Ran ran = run_picklock("compare paused_holder paused_holder/fenced --seeds 50");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_TRUE(says(ran, "mutual-exclusion: B paused_holder/fenced against A paused_holder")) << ran.out;
  EXPECT_TRUE(says(ran, "violated in both 50, in A alone 0")) << ran.out;
  EXPECT_TRUE(says(ran, "violated in both 0, in A alone 50, in B alone 0, in neither 0; 0 seeds left out")) << ran.out;
  EXPECT_TRUE(says(ran, "picklock run paused_holder --seed 1\n")) << ran.out;
}

TEST(Compare, SaysThatLeasesDiffer) {
  EXPECT_TRUE(says(run_picklock("compare paused_holder --vary lock.ttl=100ms,300ms --seeds 20"), "The leases differ"));
  EXPECT_FALSE(says(run_picklock("compare paused_holder paused_holder/fenced --seeds 20"), "The leases differ"));
}

TEST(Compare, SaysThatReactionsToALossDiffer) {
  const std::string command = "compare paused_holder --lock etcd-mutex,curator-leader-latch --seeds 2";
  const Ran by_client = run_picklock(command);
  EXPECT_TRUE(says(by_client, "The reactions to a loss differ: --set lock.on-loss=stop")) << by_client.out;
  EXPECT_TRUE(says(by_client, "A  users usually ignore, unless the application waits for Session.Done() too"));
  EXPECT_TRUE(says(by_client, "B  users usually stop: notLeader()"));
  EXPECT_FALSE(says(run_picklock(command + " --set lock.on-loss=stop"), "The reactions to a loss differ"));
}

TEST(Compare, PrintsTheSameAsJson) {
  const std::string command = "compare paused_holder --vary lock.ttl=200ms,260ms --seeds 80 --format json --jobs ";
  const Ran ran = run_picklock(command + "2");
  ASSERT_EQ(ran.status, 0) << ran.out;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["picklock"], "comparison");
  EXPECT_EQ(json["seeds"]["count"], 80);
  EXPECT_EQ(json["contestants"][1]["lease_ns"], 260'000'000);
  const auto& pair = json["against_first"][0]["properties"][0];
  const int sum = pair["violated_in_both"].get<int>() + pair["violated_in_first_alone"].get<int>() +
                  pair["violated_in_this_alone"].get<int>() + pair["violated_in_neither"].get<int>() +
                  pair["left_out"].get<int>();
  EXPECT_EQ(sum, 80);
  EXPECT_EQ(pair["violated_in_this_alone"], 0);  // a longer lease hurts no seed
  EXPECT_EQ(ran.out, run_picklock(command + "1").out);
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  const Ran one = run_picklock("compare paused_holder");
  EXPECT_EQ(one.status, 2);
  EXPECT_TRUE(says(one, "needs two contestants")) << one.out;
  const Ran same = run_picklock("compare paused_holder --lock redlock,redlock");
  EXPECT_EQ(same.status, 2);
  EXPECT_TRUE(says(same, "have the same settings")) << same.out;
  const Ran unlike = run_picklock("compare paused_holder failover_loses_the_lock");
  EXPECT_EQ(unlike.status, 2);
  EXPECT_TRUE(says(unlike, "clients[0].hold is '50ms' in paused_holder and '20s' in failover_loses_the_lock"))
      << unlike.out;
  EXPECT_TRUE(says(unlike, "--also PATH")) << unlike.out;
  for (const std::string vary : {"lock.ttl", "=1s", "lock.ttl=1s,,2s"}) {
    const Ran ran = run_picklock("compare paused_holder --vary " + vary);
    EXPECT_EQ(ran.status, 2) << vary;
    EXPECT_TRUE(says(ran, "expected path=value,value")) << ran.out;
  }
  EXPECT_EQ(run_picklock("compare paused_holder --vary lock.ttl=1s,soon").status, 2);
  EXPECT_EQ(run_picklock("compare paused_holder --lock redlock,redlok").status, 2);
  EXPECT_EQ(run_picklock("compare paused_holder paused_holder/fenced --property mutual-exclusoin").status, 2);
}

// redsync asks 32 times and gives up while the lease of the paused client still runs: that is not safety.
TEST(Compare, ALockThatGivesUpIsNotTested) {
  const std::string setting =
      " paused_holder --lock redlock,redsync --set lock.lease=8s --set 'fault[0].lasts=15s' --set phases.load=60s "
      "--property mutual-exclusion --seeds 20";
  const Ran sweep = run_picklock("sweep" + setting + " --format json");
  EXPECT_EQ(sweep.status, 3) << sweep.out;
  const auto rows = nlohmann::json::parse(sweep.out)["rows"];
  EXPECT_EQ(rows[0]["violated"], 20);
  EXPECT_EQ(rows[1]["not_tested"], 20);
  EXPECT_EQ(rows[1]["acquires_granted"], 20) << "of 40";
  EXPECT_TRUE(rows[1]["share_violated"].is_null());
  const Ran compare = run_picklock("compare" + setting);
  EXPECT_EQ(compare.status, 3) << compare.out;
  EXPECT_TRUE(says(compare, "20 of these not tested")) << compare.out;
  const std::string run =
      "run paused_holder --lock redsync --set lock.lease=8s --set 'fault[0].lasts=15s' --set phases.load=60s --seeds "
      "20";
  const Ran table = run_picklock(run);
  EXPECT_EQ(table.status, 3) << table.out;
  EXPECT_TRUE(says(table, "at most one client ever held the lock in 20 of 20 runs")) << table.out;
  EXPECT_TRUE(says(table, "undecided or not tested: mutual-exclusion")) << table.out;
  const auto json = nlohmann::json::parse(run_picklock(run + " --format json").out);
  const auto& exclusion = json["properties"][0];
  EXPECT_EQ(exclusion["property"], "mutual-exclusion");
  EXPECT_EQ(exclusion["holds"], 0);
  EXPECT_EQ(exclusion["not_tested"], 20);
  EXPECT_TRUE(exclusion["share_violated"].is_null()) << "as in a sweep";
}

// A lock that nobody else asks for is not safe, but untested.
TEST(Compare, AnUntestedPropertyIsUndecided) {
  const Ran ran = run_picklock(
      "compare paused_holder --set clients.b.start=20s --vary lock.ttl=100ms,200ms --seeds 20 "
      "--property mutual-exclusion");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_TRUE(says(ran, "not tested")) << ran.out;
}

}  // namespace compare_test
}  // namespace picklock::testing
