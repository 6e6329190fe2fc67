// The job array of examples/cluster, as Slurm would start its tasks, and the studies' scripts.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/command_runs.hpp"

namespace picklock::testing {
namespace cluster_test {

TEST(Cluster, TheTasksOfAnArrayAreTheWhole) {
  const std::string folder = scratch("cluster");
  std::filesystem::create_directories(folder);
  const std::string in_folder = "cd " + folder + " && ", sweep = "paused_holder --set lock.ttl=245ms --seeds 150 ";
  for (const std::string task : {"1", "2", "3"}) {
    const Ran ran = run_shell(in_folder + "unset SLURM_JOB_ID SLURM_CPUS_PER_TASK; SLURM_ARRAY_TASK_ID=" + task +
                              " SLURM_ARRAY_TASK_COUNT=3 PICKLOCK=" PICKLOCK_BINARY " " PICKLOCK_SOURCE_DIR
                              "/examples/cluster/array.sh " +
                              sweep);
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_TRUE(has(ran, "shard " + task + " of 3: ")) << ran.out;
  }
  const std::string picklock = in_folder + PICKLOCK_BINARY + " ";
  EXPECT_EQ(run_shell(picklock + "merge shards/*.sqlite --into all.sqlite").status, 0);
  const Ran merged = run_shell(picklock + "sweep " + sweep + "--store all.sqlite --format csv"),
            plain = run_shell(picklock + "sweep " + sweep + "--format csv");
  EXPECT_EQ(merged.status, 0);
  EXPECT_EQ(merged.out, plain.out);
  std::filesystem::remove_all(folder);
}

TEST(Studies, RefuseOtherSizes) {
  for (const std::string study : {"pause-and-lease", "redlock-or-consensus", "jepsen-etcd"}) {
    const Ran ran = run_shell(PICKLOCK_SOURCE_DIR "/examples/studies/" + study + " huge /nowhere/at/all");
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(has(ran, "found 'huge', expected small or full")) << ran.out;
  }
}

}  // namespace cluster_test
}  // namespace picklock::testing
