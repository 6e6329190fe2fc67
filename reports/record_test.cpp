// A record is a value: what is told of a run depends on its record alone.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checker/properties/history_lab.hpp"
#include "checker/properties/scratch.hpp"
#include "reports/run/files.hpp"
#include "reports/run/idle_faults.hpp"
#include "reports/run/messages.hpp"
#include "reports/run/run_page.hpp"
#include "reports/run/shiviz.hpp"
#include "reports/run/slice.hpp"
#include "reports/run/timeline.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/costs.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/without_fault.hpp"

namespace picklock {
namespace record_test {

constexpr RecordOptions kWhole = {.full_trace = true, .draws = true, .bodies = true, .story = true};
constexpr std::int64_t kMs = 1'000'000;

std::unique_ptr<Runner> runner_of(const std::string& scenario) {
  return std::move(std::get<0>(Runner::compile(load_scenario(scenario).scenario)));
}

// All that reports tell of a run.
std::vector<std::string> told_of(const RunRecord& run) {
  const Costs costs = costs_of(run);
  std::vector<std::string> all = {timeline(run, false, "again", ""),
                                  run_page(run, verdicts_for_page(run, false), "again"),
                                  shiviz_log(run),
                                  trace_text(run),
                                  draws_text(run),
                                  idle_faults_text(idle_faults_of(run, history_without)),
                                  std::to_string(costs.granted) + " of " + std::to_string(costs.commands)};
  for (const Finding& f : run.result.findings) {
    if (f.verdict == Verdict::violated) all.push_back(slice_text(slice_story(run, f)));
  }
  return all;
}

TEST(RunRecord, ACopyTellsTheSameWhenItsRunnerHasGoneOnAndWhenItIsGone) {
  for (const char* const name : {"paused_holder", "redlock_clock_jump", "zookeeper_paused_holder",
                                 "etcd_shared_session", "failover_loses_the_lock", "deadlock_opposite_order"}) {
    auto runner = runner_of(name);
    runner->run(1, kWhole);
    const std::vector<std::string> told = told_of(runner->record());
    const RunRecord kept = runner->record();
    runner->run(2, kWhole);
    EXPECT_NE(told_of(runner->record()), told) << name << ": the record of the next run tells what was kept";
    EXPECT_EQ(told_of(kept), told) << name;
    runner.reset();
    EXPECT_EQ(told_of(kept), told) << name;
  }
}

// A record that is not kept is written over: a campaign allocates no history for each run.
TEST(RunRecord, OnlyAKeptHistoryIsLeftAsItIs) {
  const auto runner = runner_of("paused_holder");
  runner->run(1);
  const History* const first = &runner->record().history();
  runner->run(2);
  EXPECT_EQ(&runner->record().history(), first);
  const RunRecord kept = runner->record();
  const std::size_t operations = kept.history().operations.size();
  runner->run(3);
  EXPECT_NE(&runner->record().history(), first);
  EXPECT_EQ(kept.result.history.get(), first);
  EXPECT_EQ(kept.history().operations.size(), operations);
}

TEST(RunRecord, WhatWasNotRecordedIsNotToldAsThatNothingHappened) {
  const auto runner = runner_of("paused_holder");
  runner->run(1, {.full_trace = true});
  EXPECT_DEATH(scene_of(runner->record(), {}), "surroundings");
  runner->run(1, {.story = true});
  EXPECT_DEATH(costs_of(runner->record()), "records_fully");
}

// Two clients that were observed in some other system: a believes until 100 ms, b from 50 ms on.
RunRecord observed(std::int64_t b_enters) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.phase(0, Phase::load);
  h.acquires(a, 1 * kMs, 2 * kMs);
  h.granted(a, 2 * kMs, kWithoutEnd);
  h.believes(a, 2 * kMs, 100 * kMs);
  h.acquires(b, b_enters - kMs, b_enters);
  h.believes(b, b_enters, 150 * kMs);
  h.phase(200 * kMs, Phase::heal);
  RunRecord run;
  Scenario scenario;
  scenario.name = "observed";
  scenario.clients.resize(2);
  scenario.clients[0].name = "a";
  scenario.clients[1].name = "b";
  run.cast = std::make_shared<RunCast>(RunCast{scenario, {"world", "server", "storage", "a", "b"}, 1, nullptr});
  run.keep(std::make_shared<Recording>(Recording{h.build(), {}, {}}));
  run.trace.record_fully(true);  // it has seen one message, from a to the server
  run.trace.add({1 * kMs, trace::connection_opened, 3, 7, 1, 0});
  run.trace.add({1 * kMs, trace::segment_sent, 3, 7, 0, 0});
  run.trace.add({2 * kMs, trace::segment_arrived, 1, 7, 0, 0});
  run.clocks.resize(run.machines().size());
  run.surroundings.emplace();
  run.result.length = milliseconds(200);
  Scratch scratch;
  run.result.findings = judge(run.history(), run.result.judged_with, scratch);
  return run;
}

TEST(RunRecord, ARunOutsideOfTheSimulatorIsToldByTheSameReports) {
  const RunRecord both = observed(50 * kMs), one = observed(120 * kMs);
  const std::string violated = timeline(both, false, "again", ""), held = timeline(one, false, "again", "");
  EXPECT_NE(violated.find("both in"), std::string::npos) << violated;
  EXPECT_EQ(held.find("both in"), std::string::npos) << held;
  const std::vector<MessageArrow> messages = messages_of(both, {});
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].from, 3u);
  EXPECT_EQ(messages[0].to, 1u);
  EXPECT_NE(run_page(both, verdicts_for_page(both, false), "again"), run_page(one, verdicts_for_page(one, false), ""));
}

}  // namespace record_test
}  // namespace picklock
