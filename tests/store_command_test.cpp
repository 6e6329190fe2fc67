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

TEST_F(StoreCommand, RefusesWhatMakesNoSense) {
  EXPECT_EQ(in_folder(sweep_ + "--shard 1/2").status, 2) << "without a store";
  EXPECT_EQ(in_folder(sweep_ + "--shard 3/2 --store a.sqlite").status, 2);
  EXPECT_EQ(in_folder(sweep_ + "--shard 1/2 --store a.sqlite --until-width 1%").status, 2);
  EXPECT_EQ(in_folder("merge absent.sqlite --into all.sqlite").status, 2);
  EXPECT_EQ(in_folder(sweep_ + "--store .").status, 2);
}

}  // namespace store_command_test
}  // namespace picklock::testing
