// WAIT, and a master that has too few good replicas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/redis/test_replication.hpp"

namespace picklock {
namespace {

constexpr std::string_view kNoReplicas = "!NOREPLICAS Not enough good replicas to write.";

// --- WAIT ------------------------------------------------------------------------------------------

TEST_F(ReplicationTest, WaitReturnsWithTheReplicasThatHaveIt) {
  start({}, 2);
  EXPECT_EQ(b.ask("m", "WAIT", 2, 1000), "2") << "nothing written on this connection";
  b.ask("m", "SET", "k", "1");
  const TrueTime asked = b.world.now();
  EXPECT_EQ(b.ask("m", "WAIT", 2, 1000), "2");
  EXPECT_EQ(b.world.now() - asked, microseconds(400)) << "two round trips: asking them needs one";
  EXPECT_EQ(b.data("r1"), b.data("m"));
  EXPECT_EQ(b.ask("m", "WAIT", 1, 0), "2");
  EXPECT_EQ(b.ask("r1", "WAIT", 1, 0).substr(0, 41), "!ERR WAIT cannot be used with replica ins");
  EXPECT_EQ(b.ask("m", "WAIT", 1, -1), "!ERR timeout is negative");
}

TEST_F(ReplicationTest, WaitGivesUpAtItsTimeoutAndUndoesNothing) {
  start({}, 2);
  b.cut("m", "r2");
  b.ask("m", "SET", "k", "1");
  const TrueTime asked = b.world.now();
  EXPECT_EQ(b.ask("m", "WAIT", 2, 500), "1");
  const Duration took = b.world.now() - asked;
  EXPECT_GE(took, milliseconds(500));
  EXPECT_LE(took, milliseconds(502));
  EXPECT_EQ(b.ask("m", "GET", "k"), "\"1\"");
}

TEST_F(ReplicationTest, WaitBlocksItsOwnConnectionOnly) {
  start();
  const std::uint32_t cut = b.cut("m", "r1");
  b.ask("m", "SET", "k", "1");
  std::string waited, behind;
  b.send(b.channel("c", "m"), RedisCommand("WAIT", 1, 0), waited);
  b.send(b.channel("c", "m"), RedisCommand("INCR", "n"), behind);
  b.pass(milliseconds(50));
  EXPECT_EQ(b.ask_as("other", "m", "GET", "n"), "nil");
  EXPECT_EQ(waited, "");
  EXPECT_EQ(behind, "");
  b.heal(cut);
  b.pass(seconds(1));
  EXPECT_EQ(waited, "1");
  EXPECT_EQ(behind, "1");
}

TEST_F(ReplicationTest, WaitDoesNotBlockInsideATransaction) {
  start();
  b.cut("m", "r1");
  b.ask("m", "SET", "k", "1");
  b.ask("m", "MULTI");
  b.ask("m", "WAIT", 1, 0);
  EXPECT_EQ(b.ask("m", "EXEC"), "[0]");
}

TEST_F(ReplicationTest, ADemotionUnblocksThoseWhoWait) {
  start();
  b.cut("m", "r1");
  b.ask("m", "SET", "k", "1");
  std::string waited;
  b.send(b.channel("c", "m"), RedisCommand("WAIT", 1, 0), waited);
  b.pass(milliseconds(10));
  b.ask_as("other", "m", "REPLICAOF", "r1", 6379);
  b.pass(milliseconds(10));
  EXPECT_EQ(waited.substr(0, 27), "!UNBLOCKED force unblock fr");
}

// --- min-replicas ------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AMasterWithoutGoodReplicasRefusesWrites) {
  start({.min_replicas_to_write = 1, .min_replicas_max_lag = seconds(2)});
  EXPECT_EQ(b.ask("m", "SET", "k", "1"), "OK");
  b.cut("m", "r1");
  EXPECT_EQ(b.ask("m", "SET", "k", "2"), "OK") << "nobody has noticed yet";
  b.pass(seconds(5));
  EXPECT_EQ(b.ask("m", "SET", "k", "3"), kNoReplicas);
  EXPECT_EQ(b.ask("m", "GET", "k"), "\"2\"");
  EXPECT_EQ(b.ask("m", "EVAL", "release", 1, "k", "2"),
            fmt::format("{} script: release, on @user_script:1.", kNoReplicas));
  b.ask("m", "MULTI");
  EXPECT_EQ(b.ask("m", "SET", "k", "4"), kNoReplicas);
  EXPECT_EQ(b.ask("m", "EXEC"), "!EXECABORT Transaction discarded because of previous errors.");
  EXPECT_EQ(b.ask("m", "CONFIG", "SET", "min-replicas-to-write", 0), "OK");
  EXPECT_EQ(b.ask("m", "SET", "k", "5"), "OK");
}

TEST_F(ReplicationTest, AMasterThatNeverHadReplicasRefusesFromTheStart) {
  b.add("m", {}, {.min_replicas_to_write = 1});
  EXPECT_EQ(b.ask("m", "SET", "k", "1"), kNoReplicas);
  EXPECT_EQ(b.ask("m", "EXPIRE", "k", 1), kNoReplicas);
  EXPECT_EQ(b.ask("m", "GET", "k"), "nil");
}

}  // namespace
}  // namespace picklock
