// No false cell: runs that do not test what the command line asks about are told apart from those that hold.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace untested_test {

using nlohmann::json;

const std::string kPauses =
    "sweep paused_holder --lock zookeeper-lock,etcd-mutex,curator-mutex --set lock.lease=4s "
    "--vary 'fault[0].lasts=5s,6s,8s' --property mutual-exclusion --seeds 20 --format json";

TEST(Untested, ALoadThatGrowsTestsEachPause) {
  const Ran ran = run_picklock(kPauses);
  EXPECT_EQ(ran.status, 0) << ran.out;
  const json rows = json::parse(ran.out)["rows"];
  ASSERT_EQ(rows.size(), 9u);
  for (const json& row : rows) {
    EXPECT_EQ(row["not_tested"], row["not_tested_fault_after_contest"]) << "b may come first: " << row;
    EXPECT_EQ(row["faults_lasted_ns"][0][0], row["fault[0].lasts_ns"]) << row;
    EXPECT_GT(row["violated"], 0) << "each outlasts a session or lease of 4 s: " << row;
  }
}

TEST(Untested, ALoadThatWasSetCutsThemOffAndSaysSo) {
  const std::string set = " --set phases.load=5s";
  const Ran ran = run_picklock(kPauses + set);
  for (const json& row : json::parse(ran.out)["rows"]) {
    EXPECT_EQ(row["held"], 0) << row;
    EXPECT_EQ(row["not_tested_fault_cut_off"].get<int>() + row["violated"].get<int>(), 20) << row;
    EXPECT_LE(row["faults_lasted_ns"][0][1], 5'000'000'000) << row;
  }
  const std::string one = " paused_holder --lock zookeeper-lock --set lock.lease=4s --set 'fault[0].lasts=8s'" + set;
  const Ran text = run_picklock("sweep" + one + " --property mutual-exclusion --seeds 20");
  EXPECT_EQ(text.status, 3) << text.out;
  EXPECT_TRUE(has(text, "fault lasted") && has(text, "the end of the load cut a fault off in 20 of 20 runs"))
      << text.out;
  EXPECT_FALSE(has(text, "0 %, below")) << text.out;
  const Ran many = run_picklock("run" + one + " --seeds 20");
  EXPECT_EQ(many.status, 3) << many.out;
  EXPECT_TRUE(has(many, "the end of the load cut it off in 20 of 20 runs")) << many.out;
  const Ran single = run_picklock("run" + one);
  EXPECT_TRUE(has(single, "was cut off at 5000 ms, after ") && has(single, " of 8000 ms, by the end of the load"))
      << single.out;
  const Ran estimate = run_picklock("estimate" + one + " --plain-runs 100");
  EXPECT_EQ(estimate.status, 3) << estimate.out;
  EXPECT_FALSE(has(estimate, "95 %: 0 to")) << estimate.out;
}

TEST(Untested, AnEstimateOfNothingSeenHasABound) {
  const Ran ran = run_picklock("estimate paused_holder --set 'fault[0].lasts=1ms' --plain-runs 100 --method counting");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_TRUE(has(ran, "at most 0.0295 (95 %, 1 - 0.05^(1/N)): none of 100 plain runs violates it")) << ran.out;
}

TEST(Untested, VaryTakesLawsAndRefusesARangeWithoutAStep) {
  const std::string sweep = "sweep paused_holder --seeds 3 --property mutual-exclusion --vary ";
  const Ran laws = run_picklock(sweep + R"('network.latency="1ms..2ms","2ms..4ms"')");
  EXPECT_TRUE(has(laws, "2 cells")) << laws.out;
  EXPECT_TRUE(has(laws, "network.latency=2ms..4ms")) << laws.out;
  for (const char* const wrong : {"lock.ttl=100ms..400ms", "lock.ttl=1s..100ms/1ms", "lock.ttl=1s..2s/0ms"}) {
    const Ran ran = run_picklock(sweep + wrong);
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(has(ran, "FROM..TO/STEP")) << ran.out;
  }
  EXPECT_EQ(run_picklock(sweep + R"('network.latency="1ms..2ms')").status, 2) << "the quote is open";
}

TEST(Untested, AnInterruptEndsLongCommandsWithinASecond) {
  for (const char* const command :
       {"envelope --seeds 200", "sweep paused_holder --lock zookeeper-lock --seeds 10000000",
        "compare paused_holder --lock zookeeper-lock,etcd-mutex --seeds 10000000",
        "estimate paused_holder --lock zookeeper-lock --plain-runs 10000000",
        "run paused_holder --lock zookeeper-lock --seeds 10000000"}) {
    const auto begin = std::chrono::steady_clock::now();
    const Ran ran = run_shell("timeout -s INT 1 " + std::string(PICKLOCK_BINARY) + " " + command + " > /dev/null");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << command;
    EXPECT_EQ(ran.status, 124) << command << ": timeout(1) ended it, " << ran.out;
  }
}

TEST(Untested, ClientsHaveSignsThatAreNoneOfThePicture) {
  const Ran ran = run_picklock(
      "run paused_holder --set clients.a.name=r --set clients.b.name=W --set 'fault[0].node=r' --set "
      "'fault[0].on=before r writes'");
  EXPECT_TRUE(has(ran, "A r") && has(ran, "B W")) << ran.out;
}

}  // namespace untested_test
}  // namespace picklock::testing
