// WAIT, and a master that has too few good replicas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/redis/replication_lab.hpp"

namespace picklock {
namespace {

class ReplicationWaitTest : public ::testing::Test {
 protected:
  ReplicationLab lab;
};

constexpr std::string_view kNoReplicas = "!NOREPLICAS Not enough good replicas to write.";

// --- WAIT ------------------------------------------------------------------------------------------

TEST_F(ReplicationWaitTest, WaitReturnsWithTheReplicasThatHaveIt) {
  lab.start({}, 2);
  EXPECT_EQ(lab.ask("m", "WAIT", 2, 1000), "2") << "nothing written on this connection";
  lab.ask("m", "SET", "k", "1");
  const TrueTime asked = lab.world.now();
  EXPECT_EQ(lab.ask("m", "WAIT", 2, 1000), "2");
  EXPECT_EQ(lab.world.now() - asked, microseconds(400)) << "two round trips: asking them needs one";
  EXPECT_EQ(lab.data("r1"), lab.data("m"));
  EXPECT_EQ(lab.ask("m", "WAIT", 1, 0), "2");
  EXPECT_EQ(lab.ask("r1", "WAIT", 1, 0).substr(0, 41), "!ERR WAIT cannot be used with replica ins");
  EXPECT_EQ(lab.ask("m", "WAIT", 1, -1), "!ERR timeout is negative");
}

TEST_F(ReplicationWaitTest, WaitGivesUpAtItsTimeoutAndUndoesNothing) {
  lab.start({}, 2);
  lab.cut("m", "r2");
  lab.ask("m", "SET", "k", "1");
  const TrueTime asked = lab.world.now();
  EXPECT_EQ(lab.ask("m", "WAIT", 2, 500), "1");
  const Duration took = lab.world.now() - asked;
  EXPECT_GE(took, milliseconds(500));
  EXPECT_LE(took, milliseconds(502));
  EXPECT_EQ(lab.ask("m", "GET", "k"), "\"1\"");
}

TEST_F(ReplicationWaitTest, WaitBlocksItsOwnConnectionOnly) {
  lab.start();
  const std::uint32_t cut = lab.cut("m", "r1");
  lab.ask("m", "SET", "k", "1");
  std::string waited, behind;
  lab.send(lab.channel("c", "m"), RedisCommand("WAIT", 1, 0), waited);
  lab.send(lab.channel("c", "m"), RedisCommand("INCR", "n"), behind);
  lab.pass(milliseconds(50));
  EXPECT_EQ(lab.ask_as("other", "m", "GET", "n"), "nil");
  EXPECT_EQ(waited, "");
  EXPECT_EQ(behind, "");
  lab.heal(cut);
  lab.pass(seconds(1));
  EXPECT_EQ(waited, "1");
  EXPECT_EQ(behind, "1");
}

TEST_F(ReplicationWaitTest, WaitDoesNotBlockInsideATransaction) {
  lab.start();
  lab.cut("m", "r1");
  lab.ask("m", "SET", "k", "1");
  lab.ask("m", "MULTI");
  lab.ask("m", "WAIT", 1, 0);
  EXPECT_EQ(lab.ask("m", "EXEC"), "[0]");
}

TEST_F(ReplicationWaitTest, ADemotionUnblocksThoseWhoWait) {
  lab.start();
  lab.cut("m", "r1");
  lab.ask("m", "SET", "k", "1");
  std::string waited;
  lab.send(lab.channel("c", "m"), RedisCommand("WAIT", 1, 0), waited);
  lab.pass(milliseconds(10));
  lab.ask_as("other", "m", "REPLICAOF", "r1", 6379);
  lab.pass(milliseconds(10));
  EXPECT_EQ(waited.substr(0, 27), "!UNBLOCKED force unblock fr");
}

// --- min-replicas ------------------------------------------------------------------------------------

TEST_F(ReplicationWaitTest, AMasterWithoutGoodReplicasRefusesWrites) {
  lab.start({.min_replicas_to_write = 1, .min_replicas_max_lag = seconds(2)});
  EXPECT_EQ(lab.ask("m", "SET", "k", "1"), "OK");
  lab.cut("m", "r1");
  EXPECT_EQ(lab.ask("m", "SET", "k", "2"), "OK") << "the master has not noticed yet";
  lab.pass(seconds(5));
  EXPECT_EQ(lab.ask("m", "SET", "k", "3"), kNoReplicas);
  EXPECT_EQ(lab.ask("m", "GET", "k"), "\"2\"");
  EXPECT_EQ(lab.ask("m", "EVAL", "release", 1, "k", "2"),
            fmt::format("{} script: release, on @user_script:1.", kNoReplicas));
  lab.ask("m", "MULTI");
  EXPECT_EQ(lab.ask("m", "SET", "k", "4"), kNoReplicas);
  EXPECT_EQ(lab.ask("m", "EXEC"), "!EXECABORT Transaction discarded because of previous errors.");
  EXPECT_EQ(lab.ask("m", "CONFIG", "SET", "min-replicas-to-write", 0), "OK");
  EXPECT_EQ(lab.ask("m", "SET", "k", "5"), "OK");
}

TEST_F(ReplicationWaitTest, AMasterThatNeverHadReplicasRefusesFromTheStart) {
  lab.add("m", {}, {.min_replicas_to_write = 1});
  EXPECT_EQ(lab.ask("m", "SET", "k", "1"), kNoReplicas);
  EXPECT_EQ(lab.ask("m", "EXPIRE", "k", 1), kNoReplicas);
  EXPECT_EQ(lab.ask("m", "GET", "k"), "nil");
}

}  // namespace
}  // namespace picklock
