// The command `picklock hunt` as its users meet it, and its page.

#include <gtest/gtest.h>

#include <cmath>
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

const std::string kLocks = PICKLOCK_SOURCE_DIR "/tests/testdata/hunt/";

// What a hunt says of one property.
nlohmann::json judged(const nlohmann::json& hunt, const std::string& property) {
  for (const auto& one : hunt["judged"]) {
    if (one["property"] == property) return one;
  }
  ADD_FAILURE() << property << " is not judged";
  return {};
}

TEST(HuntCommand, SaysWhatSilenceIsWorth) {
  const Ran calm = run_picklock("hunt paused_holder --within-assumptions --plans 512 --format json");
  EXPECT_EQ(calm.status, 0) << calm.out;
  const auto json = nlohmann::json::parse(calm.out);
  const auto exclusion = judged(json, "mutual-exclusion");
  const double decided = exclusion["decided"];
  EXPECT_GT(decided, 0);
  EXPECT_LT(decided, 512) << "plans without contention, or outside of the assumptions, decide nothing";
  EXPECT_NEAR(exclusion["chance_below"].get<double>(), 1 - std::pow(0.05, 1 / decided), 1e-12);
  EXPECT_EQ(exclusion["plans"], exclusion["decided"].get<int>() + exclusion["undecided"].get<int>() +
                                    exclusion["not_applicable"].get<int>() + exclusion["outside"].get<int>() +
                                    exclusion["not_promised"].get<int>());
  const Ran idle = run_picklock("hunt paused_holder --without clients.b --within-assumptions --plans 64");
  EXPECT_EQ(idle.status, 3) << idle.out;
  EXPECT_TRUE(has(idle, "tested little")) << idle.out;
  EXPECT_TRUE(has(idle, "NOT TESTED: mutual-exclusion, double-grant")) << idle.out;
}

TEST(HuntCommand, JudgesAllThatTheLockClaims) {
  const Ran all = run_picklock("hunt --lock redisson-read-write-lock --within-assumptions --plans 64 --format json");
  EXPECT_EQ(all.status, 0) << all.out;
  const auto json = nlohmann::json::parse(all.out);
  for (const char* const claim :
       {"mutual-exclusion", "double-grant", "wrong-release", "never-free-again", "starvation", "lost-wake-up"}) {
    EXPECT_GT(judged(json, claim)["decided"], 0) << claim;
  }
  EXPECT_TRUE(json["claims_alone"]);
  EXPECT_EQ(json["judged"].size(), json["properties"].size());
  // A release that takes any holder's key away, found without a word about releases; named properties alone leave it out.
  const std::string folder = scratch("hunt_taken");
  ASSERT_EQ(
      run_shell("mkdir -p " + folder + " && cd " + folder + " && " PICKLOCK_BINARY " new lock taken --lua --mistake")
          .status,
      0);
  const std::string hunt = "hunt --lock " + folder + "/taken/taken.lua --within-assumptions --plans 600 --findings 9 ";
  const Ran found = run_picklock(hunt);
  EXPECT_EQ(found.status, 1) << found.out;
  EXPECT_TRUE(has(found, "wrong-release: violated in ")) << found.out;
  EXPECT_FALSE(has(run_picklock(hunt + "--property never-free-again"), "wrong-release"));
  fs::remove_all(folder);
}

// A lock that is never granted keeps all apart, and that proves nothing.
TEST(HuntCommand, ClearsNoLockThatIsNeverGranted) {
  const std::string hunt = "hunt --lock " + kLocks + "never_grants.lua --plans 64 --shrink-runs 20 --findings 3 ";
  const Ran exclusion = run_picklock(hunt + "--property mutual-exclusion,double-grant,wrong-release");
  EXPECT_EQ(exclusion.status, 3) << exclusion.out;
  EXPECT_TRUE(
      has(exclusion, "NOT TESTED: mutual-exclusion, double-grant, wrong-release. This hunt says nothing of it."))
      << exclusion.out;
  EXPECT_FALSE(has(exclusion, "with a chance below")) << exclusion.out;
  const Ran all = run_picklock(hunt);
  EXPECT_EQ(all.status, 1) << "it claims to serve its waiters\n" << all.out;
  EXPECT_TRUE(has(all, "NOT TESTED: mutual-exclusion")) << all.out;
}

// A waiter misses its message: a settle phase that is shorter than the bound of lost-wake-up shows nothing.
TEST(HuntCommand, SettlesForLongEnoughToDecide) {
  const auto in_folder = [](const std::string& words) {
    return run_shell("cd " + kLocks + " && " PICKLOCK_BINARY " " + words);
  };
  const std::string hunt = "hunt pubsub_start.toml --within-assumptions --plans 300 --shrink-runs 60 ";
  const Ran plain = in_folder(hunt + "--findings 1");
  EXPECT_EQ(plain.status, 1) << plain.out;
  // A waiter that is never woken is not served, either.
  EXPECT_TRUE(has(plain, "lost-wake-up violated by") || has(plain, "unserved violated by")) << plain.out;
  const Ran named = in_folder(hunt + "--findings 1 --property lost-wake-up");
  EXPECT_EQ(named.status, 1) << named.out;
  // The broken twin: with the phase as it was, no plan can show it, and the hunt says so.
  const Ran brief = in_folder(hunt + "--property lost-wake-up --set phases.settle=1s");
  EXPECT_EQ(brief.status, 3) << brief.out;
  EXPECT_TRUE(has(brief, "lost-wake-up: NOT TESTED: no plan could have broken it; 0 of 300 plans decide it"))
      << brief.out;
  EXPECT_TRUE(has(brief, "--set phases.settle=3.1s decides it")) << brief.out;
  const Ran lost = run_picklock("hunt --lock " + kLocks +
                                "lost_wake_up.lua --within-assumptions --plans 300 --findings 1 "
                                "--shrink-runs 60");
  EXPECT_EQ(lost.status, 1) << lost.out;
}

TEST(HuntCommand, SaysThatEveryPlanBrokeAnAssumption) {
  const Ran ran = run_picklock("hunt paused_holder --set 'clients.*.hold=1s' --within-assumptions --plans 64");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_TRUE(has(ran, "NOT TESTED: mutual-exclusion")) << ran.out;
  EXPECT_TRUE(has(ran, "outside of the assumptions: they broke holds-shorter-than: mutual-exclusion")) << ran.out;
}

// A single run names the bound and the setting as well.
TEST(HuntCommand, NamesTheSettingThatDecidesARun) {
  const std::string run = "run redisson_missed_message ";
  const Ran open = run_picklock(run);
  const std::size_t at = open.out.find("  starvation: the run settled for ");
  ASSERT_NE(at, std::string::npos) << open.out;
  const std::string line = open.out.substr(at, open.out.find('\n', at) - at);
  const std::size_t set = line.find("--set "), end = line.find(" decides it");
  ASSERT_LT(set, end) << line;
  const Ran decided = run_picklock(run + line.substr(set, end - set));
  EXPECT_FALSE(has(decided, "  starvation: the run settled for ")) << decided.out;
  const auto json = nlohmann::json::parse(run_picklock(run + "--format json").out);
  bool said = false;
  for (const auto& v : json["verdicts"]) {
    if (v["property"] != "starvation") continue;
    said = line.find("--set " + v["decided_by"].get<std::string>() + " decides it") != std::string::npos;
  }
  EXPECT_TRUE(said) << json["verdicts"];
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
