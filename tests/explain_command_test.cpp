// The command `picklock explain` as its users meet it: exit status, output, and lines that repeat its runs.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;

TEST(ExplainCommand, TellsInSentencesAndNamesItsRuns) {
  const Ran ran = run_picklock("explain paused_holder");
  EXPECT_EQ(ran.status, 0) << ran.out;
  for (const char* const text :
       {"mutual-exclusion is violated, and so are lost-update and stale-write: ",
        "It takes the pause of a, client a and", "  without the pause of a: holds",
        "beliefs-shorter-than(100.0 ms) broken: 250.8 ms: it suffices alone",
        "each holder stops at its deadline: ends mutual-exclusion", "does not apply: the servers have no replicas",
        "violated on 100 of 100 other seeds", "  [1]   picklock run paused_holder --seed 1\n"}) {
    EXPECT_TRUE(has(ran, text)) << text << "\n" << ran.out;
  }
}

TEST(ExplainCommand, SaysOnceWhatIsTrueOfSeveralProperties) {
  const Ran ran = run_picklock("explain paused_holder");
  EXPECT_TRUE(has(ran, " more facts are as for mutual-exclusion\n")) << ran.out;
  std::istringstream lines(ran.out);
  std::map<std::string, int> times;
  for (std::string line; std::getline(lines, line);) ++times[line];
  EXPECT_EQ(times["  without the pause of a: holds [2]; ends it on 100 of 100 seeds"], 1) << ran.out;
  EXPECT_TRUE(has(ran, "  without client a, and with it the pause of a: not tested")) << ran.out;
}

TEST(ExplainCommand, ItsRunsAreRepeatedFromOneLine) {
  const auto json = nlohmann::json::parse(run_picklock("explain paused_holder --format json").out);
  ASSERT_EQ(json["picklock"], "explain");
  ASSERT_EQ(json["schema"], 1);
  std::size_t repeated = 0;
  for (const auto& run : json["runs"]) {
    if (run["run"] > 12) break;
    const std::string command = run["command"];
    const auto again = nlohmann::json::parse(run_picklock(command.substr(9) + " --format json").out);
    for (const auto& v : again["verdicts"]) {
      if (v["verdict"] == "undecided" || v["verdict"] == "not-applicable") continue;
      EXPECT_EQ(run["verdicts"][std::string(v["property"])], v["verdict"]) << command;
    }
    ++repeated;
  }
  EXPECT_EQ(repeated, 12u);
}

TEST(ExplainCommand, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(run_picklock("explain redlock_two_majorities --jobs 1").out,
            run_picklock("explain redlock_two_majorities --jobs 2").out);
}

TEST(ExplainCommand, SaysPlainlyThatThereIsNothingToExplain) {
  const Ran calm = run_picklock("explain healthy_control");
  EXPECT_EQ(calm.status, 1);
  EXPECT_TRUE(has(calm, "healthy_control, seed 1: nothing is violated, so there is nothing to explain")) << calm.out;
  const Ran alone = run_picklock("explain healthy_control --without clients.b --without clients.c");
  EXPECT_EQ(alone.status, 3);
  EXPECT_TRUE(has(alone, "undecided: mutual-exclusion (not tested)")) << alone.out;
  const auto json = nlohmann::json::parse(run_picklock("explain healthy_control --format json").out);
  EXPECT_TRUE(json["properties"].empty());
}

TEST(ExplainCommand, BadInputIsAnError) {
  EXPECT_TRUE(has(run_picklock("explain pausd_holder"), "did you mean paused_holder?"));
  EXPECT_EQ(run_picklock("explain pausd_holder").status, 2);
  const Ran wrong = run_picklock("explain paused_holder --without clients.a");
  EXPECT_EQ(wrong.status, 2) << "a fault names it";
  EXPECT_TRUE(has(wrong, "paused_holder.toml:")) << wrong.out;
  EXPECT_EQ(run_picklock("explain paused_holder --seed -1").status, 2);
}

}  // namespace
