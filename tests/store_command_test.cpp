// `picklock sweep --store`, `--shard` and `picklock merge` as a user meets them.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace store_command_test {

class StoreCommand : public ::testing::Test {
 protected:
  StoreCommand() { std::filesystem::create_directories(folder_); }
  ~StoreCommand() override { std::filesystem::remove_all(folder_); }
  Ran in_folder(const std::string& arguments) const {
    return run_shell("cd " + folder_ + " && " + PICKLOCK_BINARY + " " + arguments);
  }

  const std::string folder_ = scratch("store_command");
  const std::string sweep_ =
      "sweep paused_holder --vary lock.ttl=245ms,248ms --property mutual-exclusion --seeds 200 --format csv ";
};

TEST_F(StoreCommand, TheTableIsThatOfASweepWithoutAStore) {
  const Ran plain = in_folder(sweep_), first = in_folder(sweep_ + "--store a.sqlite --jobs 1"),
            second = in_folder(sweep_ + "--store a.sqlite --jobs 4"),
            again = in_folder(sweep_ + "--store a.sqlite --play-again");
  ASSERT_EQ(plain.status, 0) << plain.out;
  for (const Ran& ran : {first, second, again}) {
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, plain.out);
  }
}

TEST_F(StoreCommand, ShardsAreMerged) {
  for (const std::string shard : {"1", "2"}) {
    const Ran ran = in_folder(sweep_ + "--shard " + shard + "/2 --store " + shard + ".sqlite");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "shard " + shard + " of 2: 7 chunks with ")) << ran.out;
  }
  const Ran merged = in_folder("merge 1.sqlite 2.sqlite 1.sqlite --into all.sqlite");
  EXPECT_EQ(merged.status, 0);
  EXPECT_EQ(merged.out,
            "1.sqlite: 7 chunks added, 0 known already\n2.sqlite: 7 chunks added, 0 known already\n"
            "1.sqlite: 0 chunks added, 7 known already\n");
  EXPECT_EQ(in_folder(sweep_ + "--store all.sqlite").out, in_folder(sweep_).out);
}

// The same table without a store, with an empty one, and with one that has all or some seeds.
TEST_F(StoreCommand, CampaignsAndComparisonsGoOnToo) {
  for (const std::string command :
       {"run redlock_clock_jump --format json ", "run paused_holder --set lock.ttl=245ms ",
        "compare paused_holder --lock set-nx-px,redlock --vary lock.ttl=245ms --format json ",
        "compare paused_holder paused_holder/fenced --until-width 20% "}) {
    std::filesystem::remove(folder_ + "/b.sqlite");
    const Ran plain = in_folder(command + "--seeds 300"), some = in_folder(command + "--seeds 100 --store b.sqlite"),
              first = in_folder(command + "--seeds 300 --store b.sqlite"),
              known = in_folder(command + "--seeds 300 --store b.sqlite --jobs 1"),
              again = in_folder(command + "--seeds 300 --store b.sqlite --play-again");
    for (const Ran& ran : {first, known, again}) {
      EXPECT_EQ(ran.status, plain.status) << command << ran.out;
      EXPECT_EQ(ran.out, plain.out) << command;
    }
    if (command.find("--until") == std::string::npos) {
      EXPECT_NE(some.out, plain.out) << command;
    }
    const Ran merged = in_folder("merge b.sqlite --into all.sqlite");
    EXPECT_FALSE(has(merged, ": 0 chunks")) << command << merged.out;
  }
  EXPECT_EQ(in_folder("run paused_holder --store b.sqlite").status, 2) << "one run has nothing to keep";
  EXPECT_EQ(in_folder("run paused_holder --seeds 10 --measure --store b.sqlite").status, 2);
}

TEST_F(StoreCommand, RulesStopCampaignsAndComparisons) {
  const Ran run = in_folder("run paused_holder --set lock.ttl=245ms --seeds 100000 --until-width 10%"),
            one = in_folder("run paused_holder --set lock.ttl=245ms --seeds 100000 --until-width 10% --jobs 1");
  EXPECT_TRUE(has(run, "stopped after ")) << run.out;
  EXPECT_TRUE(has(run, "a confidence sequence")) << run.out;
  EXPECT_EQ(run.out, one.out);
  const Ran both = in_folder(
      "compare paused_holder paused_holder/fenced --property lost-update --seeds 100000 --until-decided 'P<50%'");
  EXPECT_EQ(both.status, 0) << both.out;
  EXPECT_TRUE(has(both, "a rule ended the comparison")) << both.out;
  EXPECT_EQ(in_folder("compare paused_holder paused_holder/fenced --seeds 64 --until-width 1%").status, 3);
}

TEST_F(StoreCommand, KeepsAVerdictForEachSeed) {
  const Ran plain = in_folder(sweep_), kept = in_folder(sweep_ + "--store c.sqlite --by-seed");
  EXPECT_EQ(kept.out, plain.out);
  if (run_shell("/usr/bin/python3 -c 'import sqlite3'").status != 0) GTEST_SKIP() << "there is no python3";
  const Ran read = run_shell("cd " + folder_ +
                             " && "
                             "/usr/bin/python3 -c \"import sqlite3, json; rows = "
                             "sqlite3.connect('c.sqlite').execute('SELECT seeds, result FROM "
                             "chunk').fetchall(); letters = [(n, json.loads(r)['properties']['mutual-exclusion']) for "
                             "n, r in rows]; assert all(len(p['by_seed']) == n and "
                             "p['by_seed'].count('v') == p['verdicts'].get('violated', {}).get('runs', 0) for n, p in "
                             "letters); print(len(letters))\"");
  EXPECT_TRUE(has(read, "14\n")) << read.out;
}

TEST_F(StoreCommand, KeepsFindingsOfHunts) {
  const std::string hunt = "hunt paused_holder --plans 64 ";
  const Ran plain = in_folder(hunt), kept = in_folder(hunt + "--store d.sqlite"),
            again = in_folder(hunt + "--store d.sqlite");
  EXPECT_EQ(plain.status, 1) << plain.out;
  EXPECT_EQ(kept.out, plain.out);
  EXPECT_EQ(again.out, plain.out);
  const Ran merged = in_folder("merge d.sqlite d.sqlite --into all.sqlite");
  EXPECT_TRUE(has(merged, " findings of hunts added\n")) << merged.out;
  EXPECT_EQ(merged.out.find("findings"), merged.out.rfind("findings")) << "they were added twice: " << merged.out;
}

TEST_F(StoreCommand, RefusesWhatMakesNoSense) {
  EXPECT_EQ(in_folder(sweep_ + "--shard 1/2").status, 2) << "without a store";
  EXPECT_EQ(in_folder(sweep_ + "--shard 3/2 --store a.sqlite").status, 2);
  EXPECT_EQ(in_folder(sweep_ + "--shard 1/2 --store a.sqlite --until-width 1%").status, 2);
  EXPECT_EQ(in_folder("merge absent.sqlite --into all.sqlite").status, 2);
  EXPECT_EQ(in_folder(sweep_ + "--store .").status, 2);
}

}  // namespace store_command_test
}  // namespace picklock::testing
