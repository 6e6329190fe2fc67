// `mpirun picklock-mpi sweep`, where Open MPI is installed: any number of ranks gives the table of one process, also if one
// of them is killed.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace mpi_test {

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << "picklock-mpi is not built: there is no MPI";
    if (!has(run_shell("mpirun --version"), "Open MPI")) GTEST_SKIP() << "there is no mpirun of Open MPI";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Standard error goes nowhere: mpirun says much there.
  Ran in_folder(const std::string& command) const {
    return run_shell("cd " + folder_ + " && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; (" +
                     command + ") 2>/dev/null");
  }
  std::string mpirun(int ranks, const std::string& words) const {
    return "timeout 300 mpirun --oversubscribe " + (ranks > 0 ? "-n " + std::to_string(ranks) + " " : "") + words;
  }
  // Starts the command, kills the last of its three ranks in the middle of its work, and waits; prints "killed" if it
  // could.
  std::string with_a_killed_rank(const std::string& options) const {
    return "rm -f kept.sqlite; " +
           mpirun(3, options + program_ + " " + long_ + "--store kept.sqlite --out killed.csv") +
           R"( & waits=$!
until mpirun=$(cat /proc/$waits/task/$waits/children) && ranks=$(cat /proc/${mpirun% }/task/${mpirun% }/children) &&
      set -- $ranks && [ $# -eq 3 ] && [ -s kept.sqlite-wal ]; do
  kill -0 $waits || exit 9
  sleep 0.05
done
kill -9 $3 && echo killed
wait $waits
echo status $?)";
  }

  const std::string folder_ = scratch("mpi"), program_ = PICKLOCK_BUILD_DIR "/picklock-mpi";
  const std::string sweep_ =
      "sweep paused_holder --vary lock.ttl=245ms,248ms --property mutual-exclusion --format csv ";
  const std::string short_ = sweep_ + "--seeds 500 ", long_ = sweep_ + "--seeds 20000 --jobs 1 ";
};

TEST_F(Mpi, AnyNumberOfRanksGivesTheTableOfOneProcess) {
  const Ran plain = run_picklock(short_);
  ASSERT_EQ(plain.status, 0) << plain.out;
  for (const int ranks : {1, 2, 4}) {
    for (const std::string jobs : {"--jobs 1", "--jobs 2"}) {
      const Ran ran =
          in_folder(mpirun(ranks, program_ + " " + short_ + jobs + " --store of" + std::to_string(ranks) + ".sqlite"));
      EXPECT_EQ(ran.status, 0);
      EXPECT_EQ(ran.out, plain.out) << ranks << " ranks, " << jobs;
    }
  }
  const Ran merged =
      in_folder(std::string(PICKLOCK_BINARY) + " merge of4.sqlite of1.sqlite of2.sqlite --into all.sqlite");
  EXPECT_TRUE(has(merged, "of1.sqlite: 0 chunks added")) << "each of them has all: " << merged.out;
}

TEST_F(Mpi, AKilledRankEndsNothingIfMpirunGoesOn) {
  const Ran ran = in_folder(with_a_killed_rank("--enable-recovery "));
  EXPECT_EQ(ran.out, "killed\nstatus 0\n");
  EXPECT_EQ(content(folder_ + "/killed.csv"), run_picklock(long_).out);
}

TEST_F(Mpi, TheSameCommandGoesOnWhenMpirunHasEndedTheJob) {
  const Ran ran = in_folder(with_a_killed_rank(""));
  EXPECT_TRUE(has(ran, "killed\n")) << ran.out;
  EXPECT_FALSE(has(ran, "status 0")) << ran.out;
  const Ran before = in_folder("mkdir copy && cp kept.sqlite* copy && " PICKLOCK_BINARY
                               " merge copy/kept.sqlite --into copy/all.sqlite");
  EXPECT_TRUE(has(before, " chunks added")) << before.out;
  EXPECT_FALSE(has(before, ": 0 chunks added")) << "nothing was kept";
  const Ran again = in_folder(mpirun(2, program_ + " " + long_ + "--store kept.sqlite"));
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, run_picklock(long_).out);
}

TEST_F(Mpi, RankZeroSpeaksForAll) {
  const Ran version = in_folder(mpirun(3, program_ + " --version"));
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, run_picklock("--version").out);
  EXPECT_EQ(in_folder(mpirun(2, program_ + " sweep no_such_scenario")).status, 2);
  EXPECT_EQ(in_folder(mpirun(2, program_ + " " + short_ + "--store /nowhere/at/all.sqlite")).status, 2);
  EXPECT_EQ(in_folder(mpirun(2, program_ + " " + short_ + "--store a.sqlite --shard 1/2")).status, 2);
}

}  // namespace mpi_test
}  // namespace picklock::testing
