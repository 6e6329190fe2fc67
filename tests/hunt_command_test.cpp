// The command `picklock hunt` as its users meet it, and its page.

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;
namespace fs = std::filesystem;

TEST(HuntCommand, FindsFailuresAndKeepsThemAsScenarios) {
  const std::string folder = scratch("hunt_kept");
  const Ran ran = run_picklock("hunt paused_holder --plans 256 --findings 5 --out " + folder);
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(has(ran, "5 distinct findings")) << ran.out;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    ++files;
    const std::string file = entry.path().string();
    EXPECT_TRUE(has(ran, "kept: picklock run " + file)) << ran.out;
    const Ran again = run_picklock("run " + file);
    EXPECT_EQ(again.status, 0) << again.out;
    EXPECT_TRUE(has(again, "mutual-exclusion")) << again.out;
  }
  EXPECT_EQ(files, 5u);
  // A second hunt finds the same, and keeps it once.
  (void)run_picklock("hunt paused_holder --plans 256 --findings 5 --out " + folder);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 5);
  fs::remove_all(folder);
}

// A hunt is killed by kill -9 as soon as it has announced its second finding (scripts/hunt-killed: at random instants).
TEST(HuntCommand, LosesNoAnnouncedFindingWhenItIsKilled) {
  const std::string folder = scratch("hunt_killed");
  const std::string command = "echo $$; exec " + std::string(PICKLOCK_BINARY) +
                              " hunt paused_holder --plans 100000 --findings 1000 --jobs 1 --out " + folder +
                              " 2>&1 >/dev/null";
  FILE* const hunting = popen(command.c_str(), "r");
  ASSERT_NE(hunting, nullptr);
  std::vector<std::string> kept;
  pid_t pid = 0;
  for (char line[4096]; std::fgets(line, sizeof line, hunting) != nullptr;) {
    const std::string text(line);
    if (pid == 0) pid = static_cast<pid_t>(std::stol(text));
    const std::size_t at = text.find("; kept: ");
    if (at != std::string::npos) kept.push_back(text.substr(at + 8, text.size() - at - 9));
    if (kept.size() == 2) kill(pid, SIGKILL);
  }
  pclose(hunting);
  ASSERT_GE(kept.size(), 2u);
  for (const std::string& file : kept) EXPECT_EQ(run_picklock("run " + file).status, 0) << file;
  fs::remove_all(folder);
}

TEST(HuntCommand, TellsWhatADefectChanges) {
  const Ran ran = run_picklock("hunt paused_holder --property lost-update --against fenced --plans 256 --format json");
  EXPECT_EQ(ran.status, 1) << ran.out;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["picklock"], "hunt");
  EXPECT_EQ(json["against"], "paused_holder/fenced");
  EXPECT_GT(json["findings"].size(), 0u);
  EXPECT_EQ(run_picklock("hunt paused_holder --plans 64 --within-assumptions --against fenced").status, 0);
}

TEST(HuntCommand, SaysWhatSilenceIsWorth) {
  const Ran calm = run_picklock("hunt paused_holder --within-assumptions --plans 512");
  EXPECT_EQ(calm.status, 0) << calm.out;
  EXPECT_TRUE(has(calm, "fail with a chance below 0.583 %")) << calm.out;
  const Ran idle = run_picklock("hunt paused_holder --without clients.b --within-assumptions --plans 64");
  EXPECT_EQ(idle.status, 3) << idle.out;
  EXPECT_TRUE(has(idle, "tested little")) << idle.out;
}

TEST(HuntCommand, RefusesWhatItCannotHunt) {
  EXPECT_TRUE(has(run_picklock("hunt"), "expected a scenario, or --lock NAME"));
  EXPECT_EQ(run_picklock("hunt").status, 2);
  const Ran fault = run_picklock("hunt paused_holder --faults pauze");
  EXPECT_EQ(fault.status, 2);
  EXPECT_TRUE(has(fault, "found 'pauze', expected a kind of fault")) << fault.out;
  EXPECT_TRUE(has(fault, "pause")) << fault.out;
  EXPECT_TRUE(has(run_picklock("hunt paused_holder --beyond pauses"), "expected an assumption"));
  const Ran same = run_picklock("hunt paused_holder --against-set clients.a.hold=1ms");
  EXPECT_EQ(same.status, 2);
  EXPECT_TRUE(has(same, "other clients")) << same.out;
  EXPECT_EQ(run_picklock("hunt no_such_scenario").status, 2);
}

// The output on the page is what the command prints.
TEST(HuntPage, ShowsWhatTheCommandPrints) {
  const std::string path = PICKLOCK_SOURCE_DIR "/docs/hunt.md";
  const std::string page = content(path);
  const std::string command = "hunt paused_holder --faults pause,kill,clock-drift --plans 1000";
  const std::string begin = "<!-- begin hunt -->\n", end = "<!-- end hunt -->";
  const std::size_t from = page.find(begin) + begin.size(), to = page.find(end);
  ASSERT_LE(from, to);
  const std::string is = page.substr(from, to - from);
  const std::string must = "```\n$ picklock " + command + "\n" + run_picklock(command).out + "```\n";
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << page.substr(0, from) + must + page.substr(to);
    return;
  }
  EXPECT_EQ(is, must) << "PICKLOCK_REWRITE_GOLDEN=1 house_tests --gtest_filter=HuntPage.* writes it anew";
}

}  // namespace
