// `picklock tell`, and what a run says of faults that struck nothing.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;

bool contains(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

TEST(TellCommand, TellsStoryDrawingAndVariants) {
  const Ran ran = run_picklock("tell paused_holder");
  EXPECT_EQ(ran.status, 0) << ran.out;
  for (const char* const text :
       {"paused_holder\n\nA paused client writes into a file", "  a      |-acquire-", "lock:     set-nx-px: ttl 100ms",
        "fault[0]: pause on=\"before a writes\" node=a lasts=200ms\n",
        "violated: mutual-exclusion, lost-update, stale-write", "\n  paused_holder/fenced\n",
        "    storage.fence = reads-and-writes\n",
        "    violates mutual-exclusion; no more lost-update, stale-write (seed 1)\n",
        "picklock explain paused_holder\n"}) {
    EXPECT_TRUE(contains(ran, text)) << text << "\n" << ran.out;
  }
}

TEST(TellCommand, AVariantIsToldWithItsFile) {
  const Ran ran = run_picklock("tell paused_holder/fenced");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(contains(ran, "changes:  storage.fence = reads-and-writes\n")) << ran.out;
  EXPECT_TRUE(contains(ran, "\n  paused_holder\n")) << ran.out;
  EXPECT_TRUE(contains(run_picklock("tell restart_without_fsync"), "    repaired: violates nothing (seed 1)\n"));
}

TEST(TellCommand, CallsNothingARepairThatKeepsAClientOut) {
  const Ran ran = run_picklock("tell redlock_two_majorities");
  EXPECT_TRUE(contains(ran, "no more mutual-exclusion, by ending service: b is served only after healing; "))
      << ran.out;
}

TEST(TellCommand, JsonAndErrors) {
  const auto json = nlohmann::json::parse(run_picklock("tell paused_holder --format json").out);
  EXPECT_EQ(json["sections_on_seed_1"], nlohmann::json::parse(R"({"a": 1, "b": 1})"));
  EXPECT_EQ(json["picklock"], "tell");
  EXPECT_EQ(json["others"].size(), 2u);
  EXPECT_EQ(json["violated_on_seed_1"].size(), 3u);
  const Ran wrong = run_picklock("tell pausd_holder");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong, "did you mean paused_holder?")) << wrong.out;
}

// Each fault strikes nothing in a way of its own, but the last.
TEST(IdleFaults, AreNamedOnTopOfARunAndInTheTable) {
  const std::string file = scratch("idle") + ".toml";
  std::ofstream(file) << R"(lock = { name = "set-nx-px", ttl = "100ms", retry = "5ms..10ms" }
clients = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms", hold = "50ms" }, { name = "c", start = "1s" } ]
workload = "counter"
[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
count = 7
lasts = "1ms"
[[fault]]
kind  = "slow-disk"
node  = "redis"
[[fault]]
kind  = "kill"
node  = "c"
stays = true
[[fault]]
kind  = "pause"
node  = "c"
at    = "20ms"
lasts = "1ms"
[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
lasts = "200ms"
)";
  const Ran run = run_picklock("run " + file);
  const std::string top = run.out.substr(0, run.out.find("|0 ms"));
  EXPECT_NE(top.find("\nfault[0], the pause of a, struck nothing: its trigger never came\n"
                     "fault[1], the slow-disk of redis, struck nothing: the story is the same without it\n"
                     "fault[3], the pause of c, struck nothing: there was nothing to disturb\n\n"),
            std::string::npos)
      << top;
  EXPECT_EQ(top.find("fault[2]"), std::string::npos) << top;
  EXPECT_EQ(top.find("fault[4]"), std::string::npos) << top;
  const auto json = nlohmann::json::parse(run_picklock("run " + file + " --format json").out);
  ASSERT_EQ(json["idle_faults"].size(), 3u);
  EXPECT_EQ(json["idle_faults"][2]["fault"], 3);
  const Ran table = run_picklock("run " + file + " --seeds 10");
  EXPECT_TRUE(contains(table, "\nfaults that struck nothing:\n  fault[0], the pause of a"));
  EXPECT_TRUE(contains(table, " in 10 of 10 runs\n  fault[3], the pause of c")) << table.out;
  EXPECT_FALSE(contains(run_picklock("run paused_holder --seeds 10"), "struck nothing"));
  std::filesystem::remove(file);
}

}  // namespace
