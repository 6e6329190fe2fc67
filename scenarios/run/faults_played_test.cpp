#include "scenarios/run/faults_played.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/edits.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace faults_played_test {

Scenario edited(const std::vector<std::string>& set, const std::string& lock = "") {
  ScenarioFile file = load_scenario("paused_holder");
  const EditResult result = edit_scenario(file.scenario, {.lock = lock, .set = set, .without = {}});
  for (const ScenarioError& e : result.errors) ADD_FAILURE() << print(e);
  return file.scenario;
}

// a comes first, and b's patience is endless: the load of 5 s is over while a is stopped, and a has a round to finish.
const std::vector<std::string> kLongPause = {"lock.lease=4s", "fault[0].lasts=8s", "clients.b.start=2s",
                                             "phases.load=5s"};

TEST(FaultsPlayed, TheEndOfALoadThatWasSetCutsALongPauseOff) {
  const auto runner = compile(edited(kLongPause, "zookeeper-lock"));
  const FaultsPlayed& faults = runner->run(1).faults;
  ASSERT_EQ(faults.courses.size(), 1u);
  const FaultCourse& pause = faults.courses.front();
  EXPECT_EQ(pause.strike, Strike::injected);
  EXPECT_EQ(pause.drawn, seconds(8));
  EXPECT_EQ(pause.ended, TrueTime{} + seconds(5));
  EXPECT_TRUE(pause.healed && faults.load_ran_out && faults.cut_off());
  EXPECT_FALSE(faults.came_late());
}

TEST(FaultsPlayed, ALoadThatWasNotSetGrows) {
  std::vector<std::string> set = kLongPause;
  set.pop_back();
  const auto runner = compile(edited(set, "zookeeper-lock"));
  const RunResult& run = runner->run(1);
  const FaultCourse& pause = run.faults.courses.front();
  EXPECT_EQ(*pause.ended - pause.began, seconds(8));
  EXPECT_FALSE(pause.healed || run.faults.cut_off());
  EXPECT_EQ(verdict(run, Property::mutual_exclusion), Verdict::violated) << "8 s outlast a session of 4 s";
}

TEST(FaultsPlayed, ALoadThatFitsDoesNotGrow) {
  const auto usual = compile(edited({})), set = compile(edited({"phases.load=5s"}));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(usual->run(seed).digest, set->run(seed).digest);
}

TEST(FaultsPlayed, AFaultToComeIsWaitedForWhileClientsWork) {
  const std::vector<std::string> late = {"fault[0].on=", "fault[0].at=7s", "clients.a.rounds=0", "clients.b.rounds=0"};
  const auto grown = compile(edited(late));
  EXPECT_EQ(grown->run(1).faults.courses.front().began, TrueTime{} + seconds(7));
  std::vector<std::string> set = late;
  set.emplace_back("phases.load=5s");
  const auto cut = compile(edited(set));
  EXPECT_EQ(cut->run(1).faults.courses.front().strike, Strike::not_injected);
  EXPECT_TRUE(cut->run(1).faults.came_late());
}

// Both have done their rounds after some 200 ms, and the load is over: nothing was cut that could have mattered.
TEST(FaultsPlayed, ClientsThatAreDoneCutNothingOff) {
  Scenario s = edited({});
  s.faults.front() = pause("redis", "b released", seconds(20));
  const FaultsPlayed faults = compile(s)->run(1).faults;
  EXPECT_FALSE(faults.load_ran_out);
  EXPECT_FALSE(faults.cut_off());
}

TEST(FaultsPlayed, AFaultBehindTheLastContentionCameLate) {
  Scenario s = edited({"clients.b.hold=400ms"});
  s.faults.front() = pause("b", "before b writes", milliseconds(50));
  const FaultsPlayed faults = compile(s)->run(1).faults;
  ASSERT_EQ(faults.courses.front().strike, Strike::injected);
  EXPECT_TRUE(faults.came_late()) << "a released, had no round left, and b was alone";
  EXPECT_LT(faults.last_shared, faults.courses.front().began);
  s.faults.front() = pause("a", "before a writes", milliseconds(50));
  EXPECT_FALSE(compile(s)->run(1).faults.came_late()) << "b waited";
}

}  // namespace faults_played_test
}  // namespace picklock
