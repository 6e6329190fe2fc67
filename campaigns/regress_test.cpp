#include "campaigns/regress.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "campaigns/keep.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace regress_test {

namespace fs = std::filesystem;

// The paused holder as it is kept, with some words of the file replaced.
Regression after(const std::string& from, const std::string& to) {
  static const std::string kText = kept_run(load_scenario("paused_holder").scenario, 7).text;
  std::string text = kText;
  if (const std::size_t at = text.find(from); at != text.npos) {
    text.replace(at, from.size(), to);
  } else {
    ADD_FAILURE() << from << " is not in\n" << text;
  }
  return regress(read_scenario(text, "kept.toml"));
}

TEST(Regress, WhatIsAsItWasStillFails) {
  const Regression r = after("seed = 7", "seed = 7");
  EXPECT_EQ(r.verdict, Regressed::still_fails);
  EXPECT_EQ(r.seed, 7u);
  EXPECT_EQ(r.runs, 1u) << "the kept run is enough";
  EXPECT_EQ(r.properties, (std::vector{Property::mutual_exclusion, Property::lost_update, Property::stale_write}));
  EXPECT_EQ(r.why.find("mutual-exclusion: a "), 0u) << r.why;
}

TEST(Regress, ALockThatIsRepairedIsFixed) {
  const Regression r = after("ttl = \"100ms\"", "ttl = \"10s\"");
  EXPECT_EQ(r.verdict, Regressed::fixed);
  EXPECT_FALSE(r.seed);
  EXPECT_EQ(r.runs, 100u) << "the kept seed is one of the others";
  EXPECT_EQ(r.tested, 100u);
  EXPECT_EQ(r.why, "mutual-exclusion, lost-update, stale-write hold in 100 runs, 100 of which put them to the test");
}

TEST(Regress, AnotherLockMeetsTheSameFaults) {
  const ScenarioFile file =
      read_scenario(kept_run(load_scenario("delete_of_anothers_lock").scenario, 7).text, "kept.toml");
  const Regression own = regress(file);
  EXPECT_EQ(own.verdict, Regressed::still_fails);
  EXPECT_EQ(own.other_lock, "");
  // A lock that compares before it deletes ends the hold of no other; the pause still lets two believe.
  ScenarioFile releases = file;
  std::erase_if(releases.scenario.expect, [](const auto& e) { return e.first != "wrong-release"; });
  EXPECT_EQ(regress(releases).verdict, Regressed::still_fails);
  const Regression mended = regress(releases, {100, "set-nx-px"});
  EXPECT_EQ(mended.verdict, Regressed::fixed) << mended.why;
  EXPECT_EQ(mended.lock, "set-nx-px");
  EXPECT_EQ(mended.other_lock, "set-nx-px");
  EXPECT_EQ(regress(releases, {100, "setnx-expire"}).verdict, Regressed::still_fails) << "a bare DEL as well";
  const Regression unknown = regress(releases, {100, "set-nx-pxx"});
  EXPECT_EQ(unknown.verdict, Regressed::cannot_tell);
  EXPECT_NE(unknown.why.find("set-nx-px"), std::string::npos) << unknown.why;
}

TEST(Regress, AFailureOnOtherSeedsIsNoRepair) {
  ScenarioFile file = load_scenario("paused_holder");
  file.scenario.expect.erase("lost-update");
  // b is the first on some seeds, and nothing stops it.
  file.scenario.clients[0].start = Law::uniform(Duration{}, milliseconds(1));
  file.scenario.clients[1].start = Law::uniform(Duration{}, milliseconds(1));
  file.scenario.faults[0].trigger.on.clear();
  file.scenario.faults[0].trigger.at = milliseconds(10);
  const auto runner = std::get<0>(Runner::compile(file.scenario));
  std::uint64_t calm = 1;
  while (of(runner->run(calm).findings, Property::mutual_exclusion).verdict == Verdict::violated) ++calm;
  file.seed = calm;
  const Regression r = regress(file);
  EXPECT_EQ(r.verdict, Regressed::still_fails);
  EXPECT_NE(r.seed, calm);
  EXPECT_EQ(r.why.find("not on seed " + std::to_string(calm) + ", but violated on "), 0u) << r.why;
}

TEST(Regress, WhatStrikesNothingCannotBeTold) {
  const Regression r = after("node  = \"a\"", "node  = \"a\"\ncount = 999");
  EXPECT_EQ(r.verdict, Regressed::cannot_tell);
  EXPECT_EQ(r.why.find("fault[0] strikes nothing any more: pause "), 0u) << r.why;
}

TEST(Regress, WhatIsNotTestedCannotBeTold) {
  const Regression r = after("  { name = \"b\", start = \"10ms\" },\n", "");
  EXPECT_EQ(r.verdict, Regressed::cannot_tell);
  EXPECT_NE(r.why.find(" is undecided: "), r.why.npos) << r.why;
}

// The load ends before the pause does: what the file is about did not happen, and no run says that it was mended.
TEST(Regress, AFaultThatTheLoadCutsOffCannotBeTold) {
  ScenarioFile file = load_scenario("paused_holder");
  const EditResult cut = edit_scenario(
      file.scenario,
      {.lock = "zookeeper-lock", .set = {"lock.lease=10s", "fault[0].lasts=8s", "phases.load=5s"}, .without = {}});
  ASSERT_TRUE(cut.errors.empty());
  const Regression r = regress(file, {20, ""});
  EXPECT_EQ(r.verdict, Regressed::cannot_tell) << r.why;
  EXPECT_FALSE(r.seed);
}

TEST(Regress, AFileThatNoLongerFitsCannotBeTold) {
  const Regression lock = after("set-nx-px\",", "my-lock\",");
  EXPECT_EQ(lock.verdict, Regressed::cannot_tell);
  EXPECT_EQ(lock.why.find("line "), 0u) << lock.why;
  EXPECT_NE(lock.why.find("my-lock"), lock.why.npos) << lock.why;
  const Regression node = after("node  = \"a\"", "node  = \"nobody\"");
  EXPECT_EQ(node.verdict, Regressed::cannot_tell);
  EXPECT_NE(node.why.find("nobody"), node.why.npos) << node.why;
}

// A person who has repaired the lock may say so in the file: it then guards the repair.
TEST(Regress, AFileThatExpectsNoViolationGuardsWhatHolds) {
  EXPECT_EQ(regress(load_scenario("healthy_control"), {10, ""}).verdict, Regressed::fixed);
  ScenarioFile file = load_scenario("paused_holder");
  file.scenario.expect = {{"mutual-exclusion", {Verdict::holds, Seeds::every}}};
  EXPECT_EQ(regress(file, {10, ""}).verdict, Regressed::still_fails);
}

TEST(Regress, AFolderIsPlayedInTheOrderOfItsNames) {
  const fs::path folder = fs::path(PICKLOCK_BUILD_DIR) / "picklock_regress_folder";
  fs::remove_all(folder);
  EXPECT_THROW(regress_folder(folder.string()), std::runtime_error);
  fs::create_directories(folder / "inner");
  EXPECT_TRUE(regress_folder(folder.string()).empty());
  for (const char* name : {"paused_holder", "healthy_control"})
    fs::copy_file(find_scenario(name).index() == 0 ? std::get<0>(find_scenario(name)).path : "",
                  folder / (std::string(name) + ".toml"));
  std::ofstream(folder / "broken.toml") << "lock = 7\n";
  std::ofstream(folder / "notes.txt") << "not a scenario\n";
  const std::vector<Regression> all = regress_folder(folder.string(), {5, ""});
  std::vector<std::string> names;
  for (const Regression& r : all) names.push_back(fs::path(r.scenario).lexically_relative(folder).string());
  ASSERT_GE(all.size(), 4u);
  EXPECT_EQ(names[0], "broken.toml");
  EXPECT_EQ(names[1], "healthy_control.toml");
  EXPECT_EQ(names[2], "paused_holder.toml");
  EXPECT_EQ(names[3], "paused_holder.toml/fenced");
  EXPECT_EQ(all[0].verdict, Regressed::cannot_tell);
  EXPECT_EQ(all[1].verdict, Regressed::fixed);
  EXPECT_EQ(all[2].verdict, Regressed::still_fails);
  EXPECT_EQ(exit_status(all), 1);
  EXPECT_EQ(exit_status({all[0], all[1]}), 3);
  EXPECT_EQ(exit_status({all[1]}), 0);
  fs::remove_all(folder);
}

}  // namespace regress_test
}  // namespace picklock
