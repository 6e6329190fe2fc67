// Tests of callers that do wrong: interrupts, exceptions, forgotten releases, callers that fail open.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace {

std::unique_ptr<Runner> runner_of_text(const std::string& text) {
  const ScenarioFile file = read_scenario(text, "mistakes.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return file.ok() ? compile(file.scenario) : nullptr;
}

// Assumptions that the run broke, by their names.
std::vector<std::string> broken(const RunResult& r) {
  std::vector<std::string> all;
  for (const Assessment& a : r.assumptions) {
    if (!a.met) all.emplace_back(info(a.assumption.kind).name);
  }
  return all;
}

// b gives up while it waits for a, and c stands behind it.
std::string queue(std::string_view lock, std::string_view gives_up) {
  return fmt::format(
      "lock = {{ name = \"{}\", lease = \"10s\" }}\n"
      "clients = [\n  {{ name = \"a\", start = \"1s\", hold = \"5s\" }},\n"
      "  {{ name = \"b\", start = \"1200ms\", hold = \"1s\", {} = \"2s\" }},\n"
      "  {{ name = \"c\", start = \"2s\", hold = \"1s\" }},\n]\n"
      "[phases]\nload = \"20s\"\nsettle = \"5s\"\n",
      lock, gives_up);
}

TEST(CallerMistakes, AnInterruptRunsTheLibrarysCleanUpAndAnAbandonedAcquireDoesNot) {
  for (const std::string_view lock : {"curator-mutex", "kazoo-lock", "etcd-mutex", "etcd-election"}) {
    const auto interrupted = runner_of_text(queue(lock, "interrupt-after"));
    const RunResult& clean = interrupted->run(1);
    EXPECT_EQ(verdict(clean, Property::never_free_again), Verdict::holds) << lock << ": b's place is gone";
    EXPECT_EQ(clean.executed.interrupts, 1) << lock;
    EXPECT_EQ(broken(clean), std::vector<std::string>{"no-interrupts"}) << lock;
    const auto abandoned = runner_of_text(queue(lock, "abandon-after"));
    const RunResult& left = abandoned->run(1);
    EXPECT_EQ(verdict(left, Property::never_free_again), Verdict::violated) << lock << ": b's place stays";
    EXPECT_EQ(left.executed.abandoned_acquires, 1) << lock;
    const std::vector<std::string> of_abandoned = broken(left);
    EXPECT_NE(std::find(of_abandoned.begin(), of_abandoned.end(), "no-abandoned-acquires"), of_abandoned.end()) << lock;
  }
}

// A library that cleans nothing up leaves the same as a dropped acquire.
TEST(CallerMistakes, AnInterruptWithoutACleanUpLeavesWhatItLeaves) {
  const auto runner = runner_of_text(queue("zookeeper-lock", "interrupt-after"));
  const RunResult& r = runner->run(1);
  EXPECT_EQ(verdict(r, Property::never_free_again), Verdict::violated);
  EXPECT_EQ(broken(r), std::vector<std::string>{"no-interrupts"});
}

std::string one_client(std::string_view lock, std::string_view mistake) {
  return fmt::format(
      "lock = {{ name = \"{}\", lease = \"2s\" }}\n"
      "clients = [ {{ name = \"a\", start = \"1s\", hold = \"500ms\", {} }}, {{ name = \"b\", start = \"1100ms\" }} ]\n"
      "[phases]\nload = \"8s\"\nprobe-patience = \"5s\"\n",
      lock, mistake);
}

TEST(CallerMistakes, AForgottenReleaseLastsAsLongAsItsHolderRenews) {
  const auto renewed = runner_of_text(one_client("zookeeper-lock", "forgets-release = true"));
  const RunResult& kept = renewed->run(1);
  EXPECT_EQ(kept.executed.forgotten_releases, 1);
  EXPECT_EQ(verdict(kept, Property::never_free_again), Verdict::violated);
  EXPECT_EQ(broken(kept), std::vector<std::string>{"no-forgotten-releases"});
  const auto leased = runner_of_text(one_client("set-nx-px", "forgets-release = true"));
  EXPECT_EQ(verdict(leased->run(1), Property::never_free_again), Verdict::holds) << "the lease frees it";
  const auto careful = runner_of_text(one_client("zookeeper-lock", "forgets-release = false"));
  EXPECT_EQ(verdict(careful->run(1), Property::never_free_again), Verdict::holds);
}

TEST(CallerMistakes, AnUncaughtExceptionSkipsTheRestOfTheSectionAndTheRelease) {
  const auto runner = runner_of_text(one_client("zookeeper-lock", "rounds = 3, throws-after = \"100ms\""));
  const RunResult& r = runner->run(1);
  EXPECT_EQ(r.executed.uncaught_exceptions, 1) << "its thread has no second round";
  EXPECT_EQ(r.executed.forgotten_releases, 0);
  EXPECT_EQ(verdict(r, Property::never_free_again), Verdict::violated);
  EXPECT_EQ(broken(r), std::vector<std::string>{"no-uncaught-exceptions"});
  const auto late = runner_of_text(one_client("zookeeper-lock", "rounds = 3, throws-after = \"600ms\""));
  EXPECT_EQ(late->run(1).executed.uncaught_exceptions, 0) << "the section is over before";
}

TEST(CallerMistakes, ACallerThatFailsOpenWorksWithoutTheLock) {
  const std::string clients =
      "lock = {{ name = \"set-nx-px\", ttl = \"10s\", retry = \"5ms..10ms\" }}\n"
      "clients = [ {{ name = \"a\", hold = \"1s\" }},\n"
      "            {{ name = \"b\", start = \"100ms\", hold = \"100ms\", patience = \"50ms\", on-refusal = \"{}\" }} "
      "]\n";
  const auto open = runner_of_text(fmt::format(fmt::runtime(clients), "go-on"));
  const RunResult& r = open->run(1);
  EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::violated);
  EXPECT_EQ(r.executed.failed_open, 1);
  EXPECT_EQ(broken(r), std::vector<std::string>{"no-fail-open"});
  const std::string told = explain(of(r.findings, Property::mutual_exclusion), *r.history, r.judged_with);
  EXPECT_NE(told.find("b believed that it held lock although the service never named it (its acquire was refused)"),
            std::string::npos)
      << told;
  const auto closed = runner_of_text(fmt::format(fmt::runtime(clients), "give-up"));
  const RunResult& safe = closed->run(1);
  EXPECT_EQ(verdict(safe, Property::mutual_exclusion), Verdict::holds);
  EXPECT_TRUE(broken(safe).empty());
}

// The lock assumes this only where some client does it.
TEST(CallerMistakes, AreNoAssumptionWhereNoClientMakesThem) {
  const auto runner = runner_of("zookeeper_healthy_control.toml");
  const RunResult& r = runner->run(1);
  EXPECT_FALSE(r.assumptions.empty());
  for (const Assessment& a : r.assumptions) {
    EXPECT_LE(a.assumption.kind, AssumptionKind::no_forced_releases) << print(a);
  }
}

}  // namespace
}  // namespace picklock
