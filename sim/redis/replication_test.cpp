// Replication: streams, resynchronization, roles, restarts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/redis/outputs.hpp"
#include "sim/redis/test_replication.hpp"

namespace picklock {
namespace {

constexpr std::string_view kReadonly = "!READONLY You can't write against a read only replica.";

// --- the stream ----------------------------------------------------------------------------------

TEST_F(ReplicationTest, CarriesWritesFromMasterToReplica) {
  start();
  const std::int64_t before = offset("m");
  EXPECT_EQ(b.ask("m", "SET", "k", "1", "PX", 30000), "OK");
  EXPECT_EQ(offset("m") - before, 57) << "SET k 1 PXAT (13 digits), as the real server counts it";
  b.pass(milliseconds(1));
  EXPECT_EQ(b.ask("r1", "GET", "k"), "\"1\"");
  EXPECT_EQ(b.data("r1"), b.data("m"));
  EXPECT_EQ(offset("r1"), offset("m"));
  EXPECT_EQ(b.server("r1").stream().id(), b.server("m").stream().id());
  EXPECT_EQ(b.ask("r1", "SET", "k", "2"), kReadonly);
  EXPECT_EQ(b.ask("r1", "EVAL", "release", 1, "k", "1"),
            fmt::format("{} script: release, on @user_script:1.", kReadonly));
}

TEST_F(ReplicationTest, TheMasterAnswersWithoutWaiting) {
  start();
  b.world.network.set_latency(b.node("m"), b.node("r1"), Law::constant(seconds(1)));
  const TrueTime asked = b.world.now();
  EXPECT_EQ(b.ask("m", "SET", "k", "1"), "OK");
  EXPECT_EQ(b.world.now() - asked, microseconds(200));
  EXPECT_EQ(b.ask("r1", "GET", "k"), "nil");
  b.pass(seconds(1));
  EXPECT_EQ(b.ask("r1", "GET", "k"), "\"1\"");
}

TEST_F(ReplicationTest, AScriptIsOneUnitOfTheStream) {
  start();
  const std::int64_t before = offset("m");
  EXPECT_EQ(b.ask("m", "MULTI"), "OK");
  EXPECT_EQ(b.ask("m", "SET", "a", "1"), "QUEUED");
  EXPECT_EQ(b.ask("m", "SET", "b", "2"), "QUEUED");
  EXPECT_EQ(b.ask("m", "EXEC"), "[OK, OK]");
  EXPECT_EQ(offset("m") - before, 83) << "MULTI, two SETs and EXEC, as the real server counts them";
  b.pass(milliseconds(1));
  std::vector<std::int64_t> instants;
  for (const TraceRecord& r : b.world.trace.journal()) {
    if (r.kind == trace::redis_key_changed && r.node == b.node("r1")) instants.push_back(r.time);
  }
  ASSERT_EQ(instants.size(), 2u);
  EXPECT_EQ(instants[0], instants[1]);
}

TEST_F(ReplicationTest, AChangeKeepsItsHoldOnTheReplica) {
  start();
  b.run(b.channel("c", "m"), RedisCommand("SET", "k", "1", "PX", 50), 7);
  b.pass(seconds(1));
  std::vector<std::pair<std::uint32_t, KeyChange>> seen;
  for (const TraceRecord& r : b.world.trace.journal()) {
    if (r.kind != trace::redis_key_changed || r.node != b.node("r1")) continue;
    EXPECT_EQ(r.b, hash_of("k"));
    seen.emplace_back(r.a, static_cast<KeyChange>(trace::redis_change_what(r.c)));
  }
  const std::vector<std::pair<std::uint32_t, KeyChange>> expected = {{7, KeyChange::set}, {0, KeyChange::expired}};
  EXPECT_EQ(seen, expected) << "and an expiry is one there, too";
}

TEST_F(ReplicationTest, PublishedMessagesReachTheReplicasSubscribers) {
  start();
  RpcChannel& listener = b.channel("listener", "r1");
  EXPECT_EQ(b.run(listener, RedisCommand("SUBSCRIBE", "ch")), "[\"subscribe\", \"ch\", 1]");
  EXPECT_EQ(b.ask("m", "PUBLISH", "ch", "hello"), "0");
  b.pass(milliseconds(1));
  Bytes push;
  ASSERT_TRUE(listener.take_push(push));
  EXPECT_EQ(RedisReply::decode(push.view()).to_string(), "[\"message\", \"ch\", \"hello\"]");
}

TEST_F(ReplicationTest, AReplicaOfAReplicaFollowsToo) {
  start();
  b.add("leaf", "r1");
  b.pass(milliseconds(10));
  b.ask("m", "INCR", "n");
  b.pass(milliseconds(1));
  EXPECT_EQ(b.ask("leaf", "GET", "n"), "\"1\"");
  EXPECT_EQ(offset("leaf"), offset("m"));
  EXPECT_EQ(b.server("leaf").stream().id(), b.server("m").stream().id());
  // A new history is passed on: the middle one's promotion leaves the leaf with it.
  b.ask("r1", "REPLICAOF", "NO", "ONE");
  b.ask("r1", "INCR", "n");
  b.pass(seconds(2));
  EXPECT_EQ(b.ask("leaf", "GET", "n"), "\"2\"");
  EXPECT_EQ(resyncs("leaf"), 1u) << "only the first";
}

// --- expiry --------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AReplicaHidesWhatHasExpiredAndDeletesNothing) {
  start();
  b.ask("m", "SET", "k", "1", "PX", 60000);
  b.pass(milliseconds(1));
  b.world.step_clock(b.node("r1"), seconds(61));
  b.pass(seconds(5));
  EXPECT_EQ(b.ask("r1", "GET", "k"), "nil");
  EXPECT_EQ(b.data("r1"), b.data("m")) << "still there, with the master's deadline";
  EXPECT_EQ(b.ask("m", "GET", "k"), "\"1\"");
  // Promoted, it expires by its own clock.
  b.ask("r1", "REPLICAOF", "NO", "ONE");
  b.pass(seconds(1));
  EXPECT_EQ(b.data("r1"), "");
}

TEST_F(ReplicationTest, TheMastersExpiryTravelsAsADeletion) {
  start();
  b.ask("m", "SET", "k", "1", "PX", 50);
  b.pass(milliseconds(20));
  b.world.step_clock(b.node("r1"), -seconds(3600));
  b.pass(seconds(1));
  EXPECT_EQ(b.data("m"), "");
  EXPECT_EQ(b.data("r1"), "");
}

// --- links that break ------------------------------------------------------------------------------

TEST_F(ReplicationTest, AShortCutIsMadeUpForFromTheBacklog) {
  start();
  b.run(b.channel("other", "m"), RedisCommand("CLIENT", "KILL", "TYPE", "replica"));
  EXPECT_EQ(b.ask("m", "SET", "k", "1"), "OK");
  b.pass(milliseconds(10));
  EXPECT_EQ(b.ask("r1", "GET", "k"), "\"1\"");
  EXPECT_EQ(resyncs("r1"), 1u);
  EXPECT_EQ(b.info("r1", "master_link_status"), "up");
}

TEST_F(ReplicationTest, WhatTheBacklogHasLostTakesAFullResynchronization) {
  start({.repl_timeout = seconds(5), .repl_diskless_sync_delay = Duration{}, .repl_backlog_size = 100});
  const std::uint32_t cut = b.cut("m", "r1");
  for (int i = 0; i < 10; ++i) b.ask("m", "SET", "k" + std::to_string(i), "some value");
  b.pass(seconds(20));
  EXPECT_EQ(b.info("m", "connected_slaves"), "0");
  EXPECT_EQ(b.info("r1", "master_link_status"), "down");
  b.heal(cut);
  b.pass(seconds(30));
  EXPECT_EQ(resyncs("r1"), 2u);
  EXPECT_EQ(b.data("r1"), b.data("m"));
}

TEST_F(ReplicationTest, SilenceEndsALinkAfterReplTimeout) {
  start();
  b.pass(seconds(5));
  const std::uint32_t cut = b.cut("m", "r1");
  b.pass(seconds(55));
  EXPECT_EQ(b.info("m", "connected_slaves"), "1");
  EXPECT_EQ(b.info("r1", "master_link_status"), "up");
  b.pass(seconds(20));
  EXPECT_EQ(b.info("m", "connected_slaves"), "0");
  EXPECT_EQ(b.info("r1", "master_link_status"), "down");
  b.heal(cut);
  b.pass(seconds(70));  // the retransmissions of its attempts had backed off
  EXPECT_EQ(b.info("r1", "master_link_status"), "up");
  EXPECT_EQ(resyncs("r1"), 1u);
}

TEST_F(ReplicationTest, ASnapshotWaitsForReplDisklessSyncDelay) {
  b.add("m");
  b.add("late", "m", {}, false);
  b.pass(seconds(3));
  EXPECT_EQ(b.info("m", "slave0"), "ip=late,port=6379,state=wait_bgsave,offset=0,lag=0");
  EXPECT_EQ(b.ask("late", "ROLE"), "[\"slave\", \"m\", 6379, \"handshake\", -1]");
  b.ask("m", "SET", "k", "1");
  b.pass(seconds(3));
  EXPECT_EQ(b.info("m", "slave0").substr(0, 31), "ip=late,port=6379,state=online,");
  EXPECT_EQ(b.data("late"), b.data("m"));
}

TEST_F(ReplicationTest, AReplicaTriesEachSecondToReachADeadMaster) {
  start();
  b.world.kill(b.node("m"));
  b.pass(seconds(10));
  EXPECT_EQ(b.info("r1", "master_link_status"), "down");
  b.world.restart(b.node("m"));
  b.pass(seconds(8));
  EXPECT_EQ(b.info("r1", "master_link_status"), "up");
}

// --- roles -----------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AnotherReplicaGoesOnWithThePromotedOne) {
  start({}, 2);
  b.ask("m", "SET", "k", "1");
  b.pass(milliseconds(1));
  b.world.kill(b.node("m"));
  EXPECT_EQ(b.ask("r1", "REPLICAOF", "NO", "ONE"), "OK");
  EXPECT_EQ(b.ask("r1", "SET", "k", "2"), "OK");
  EXPECT_EQ(b.ask("r2", "REPLICAOF", "r1", 6379), "OK");
  b.pass(milliseconds(10));
  EXPECT_EQ(b.ask("r2", "GET", "k"), "\"2\"");
  EXPECT_EQ(resyncs("r2"), 1u);
  EXPECT_EQ(b.info("r1", "master_replid2"), b.info("r2", "master_replid2"));
}

TEST_F(ReplicationTest, ADemotedMasterLosesWhatNobodyElseHas) {
  start();
  b.ask("m", "SET", "old", "1");
  b.pass(milliseconds(1));
  const std::uint32_t cut = b.cut("m", "r1");
  EXPECT_EQ(b.ask("m", "SET", "lost", "1"), "OK");
  b.ask("r1", "REPLICAOF", "NO", "ONE");
  b.ask("r1", "SET", "new", "1");
  b.heal(cut);
  EXPECT_EQ(b.ask("m", "REPLICAOF", "r1", 6379), "OK");
  EXPECT_EQ(b.ask("m", "SET", "k", "1"), kReadonly);
  EXPECT_EQ(b.ask("m", "EXISTS", "lost"), "1") << "until the snapshot has come";
  b.pass(seconds(7));
  EXPECT_EQ(resyncs("m"), 1u);
  EXPECT_EQ(b.ask("m", "EXISTS", "old", "new"), "2");
  EXPECT_EQ(b.ask("m", "EXISTS", "lost"), "0");
}

TEST_F(ReplicationTest, ADemotedMasterWithNothingOfItsOwnGoesOn) {
  start();
  b.ask("m", "SET", "old", "1");
  b.pass(milliseconds(1));
  b.ask("r1", "REPLICAOF", "NO", "ONE");
  b.ask("r1", "SET", "new", "1");
  b.ask("m", "REPLICAOF", "r1", 6379);
  b.pass(milliseconds(10));
  EXPECT_EQ(resyncs("m"), 0u);
  EXPECT_EQ(b.data("m"), b.data("r1"));
}

TEST_F(ReplicationTest, OnlyARewrittenRoleSurvivesARestart) {
  start();
  const auto restart = [&](std::string_view name) {
    b.world.kill(b.node(name));
    b.world.restart(b.node(name));
    b.pass(milliseconds(10));
  };
  restart("r1");
  EXPECT_EQ(b.info("r1", "role"), "slave");
  b.ask("r1", "REPLICAOF", "NO", "ONE");
  restart("r1");
  EXPECT_EQ(b.info("r1", "role"), "slave");
  b.ask("r1", "MULTI");
  b.ask("r1", "REPLICAOF", "NO", "ONE");
  b.ask("r1", "CONFIG", "REWRITE");
  b.ask("r1", "CLIENT", "KILL", "TYPE", "normal");
  b.ask("r1", "CLIENT", "KILL", "TYPE", "pubsub");
  EXPECT_EQ(b.ask("r1", "EXEC"), "[OK, OK, 0, 0]");
  restart("r1");
  EXPECT_EQ(b.info("r1", "role"), "master");
  b.ask("m", "REPLICAOF", "r1", 6379);
  b.ask("m", "CONFIG", "REWRITE");
  restart("m");
  EXPECT_EQ(b.info("m", "role"), "slave");
  EXPECT_EQ(b.info("m", "master_host"), "r1");
  std::vector<std::uint32_t> roles;
  for (const TraceRecord& r : b.world.trace.journal()) {
    if (r.kind == trace::redis_role && r.node == b.node("r1")) roles.push_back(r.a);
  }
  EXPECT_EQ(roles, (std::vector<std::uint32_t>{2, 2, 1, 2, 1, 1})) << "boot, boot, promoted, boot, promoted, boot";
}

TEST_F(ReplicationTest, ATransactionThatMeetsADemotionDoesNothing) {
  start();
  b.ask("m", "MULTI");
  b.ask("m", "SET", "k", "1");
  b.run(b.channel("other", "m"), RedisCommand("REPLICAOF", "r1", 6379));
  EXPECT_EQ(b.ask("m", "EXEC"),
            "!EXECABORT Transaction discarded because of: READONLY You can't write against a read only replica.");
}

TEST_F(ReplicationTest, KillingClientsByType) {
  start();
  RpcChannel &normal = b.channel("normal", "m"), &listener = b.channel("listener", "m");
  b.run(normal, RedisCommand("PING"));
  b.run(listener, RedisCommand("SUBSCRIBE", "ch"));
  EXPECT_EQ(b.ask("m", "CLIENT", "KILL", "TYPE", "normal"), "1");
  b.pass(milliseconds(1));
  EXPECT_FALSE(normal.connected());
  EXPECT_TRUE(listener.connected());
  EXPECT_EQ(b.ask("m", "CLIENT", "KILL", "TYPE", "pubsub"), "1");
  b.pass(milliseconds(1));
  EXPECT_FALSE(listener.connected());
  EXPECT_EQ(b.info("m", "connected_slaves"), "1");
  EXPECT_EQ(b.ask("m", "CLIENT", "KILL", "TYPE", "other"), "!ERR Unknown client type 'other'");
}

TEST_F(ReplicationTest, AWritableReplicaKeepsItsWritesToItself) {
  start({.replica_read_only = false});
  EXPECT_EQ(b.ask("r1", "SET", "mine", "1", "NX", "PX", 50), "OK");
  b.pass(milliseconds(100));
  EXPECT_EQ(b.ask("r1", "GET", "mine"), "nil");
  EXPECT_EQ(b.ask("r1", "SET", "mine", "2", "NX"), "OK") << "before a write of its own it deletes what has expired";
  EXPECT_EQ(b.ask("m", "GET", "mine"), "nil");
}

TEST_F(ReplicationTest, ConfigIsReadAndSetByTheNamesOfRedisConf) {
  start();
  EXPECT_EQ(b.ask("m", "CONFIG", "GET", "min-replicas-*"),
            "[\"min-replicas-to-write\", \"0\", \"min-replicas-max-lag\", \"10\"]");
  EXPECT_EQ(b.ask("m", "CONFIG", "SET", "repl-timeout", 7, "replica-read-only", "no"), "OK");
  EXPECT_EQ(b.ask("m", "CONFIG", "GET", "repl-timeout"), "[\"repl-timeout\", \"7\"]");
  EXPECT_EQ(b.ask("m", "CONFIG", "SET", "foo", 1), "!ERR Unknown option or number of arguments for CONFIG SET - 'foo'");
  EXPECT_EQ(b.ask("m", "CONFIG", "SET", "repl-timeout", "soon").substr(0, 22), "!ERR CONFIG SET failed");
  EXPECT_EQ(b.ask("m", "CONFIG", "SET", "appendonly", "always").substr(0, 22), "!ERR CONFIG SET failed");
}

// --- restarts --------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AMasterThatRestartsEmptyEmptiesItsReplicas) {
  start();
  b.ask("m", "SET", "k", "1");
  b.pass(milliseconds(10));
  b.world.kill(b.node("m"));
  b.world.restart(b.node("m"));
  b.pass(seconds(1));
  EXPECT_NE(b.data("r1"), "");
  b.pass(seconds(6));
  EXPECT_EQ(b.data("r1"), "");
  EXPECT_EQ(resyncs("r1"), 2u);
}

TEST_F(ReplicationTest, WithAnAppendOnlyFileItDoesNot) {
  start({.appendonly = AppendOnly::always});
  b.ask("m", "SET", "k", "1");
  b.pass(milliseconds(10));
  for (const bool power : {false, true}) {
    if (power)
      b.world.lose_power(b.node("m"));
    else
      b.world.kill(b.node("m"));
    b.world.restart(b.node("m"));
    b.pass(seconds(80));
    EXPECT_NE(b.data("r1"), "");
    EXPECT_EQ(b.data("r1"), b.data("m"));
  }
}

TEST_F(ReplicationTest, AReplicaLogsWhatItIsSent) {
  start({.appendonly = AppendOnly::always});
  b.ask("m", "SET", "a", "1");
  b.ask("m", "SET", "b", "1", "PX", 100000);
  b.pass(milliseconds(20));
  const std::string data = b.data("r1");
  b.world.kill(b.node("m"));
  b.world.lose_power(b.node("r1"));
  b.world.restart(b.node("r1"));
  EXPECT_EQ(b.data("r1"), data);
}

TEST_F(ReplicationTest, WhatAKilledMasterHandedToItsKernelStillArrives) {
  for (const bool power : {false, true}) {
    b.begin(1);
    start();
    const std::uint32_t cut = b.cut("m", "r1");
    b.ask("m", "SET", "k", "1");
    if (power)
      b.world.lose_power(b.node("m"));
    else
      b.world.kill(b.node("m"));
    b.heal(cut);
    b.pass(seconds(1));
    EXPECT_EQ(b.ask("r1", "EXISTS", "k"), power ? "0" : "1");
  }
}

// --- runs ------------------------------------------------------------------------------------------

TEST_F(ReplicationTest, OneSeedIsOneRun) {
  std::array<std::uint64_t, 3> digests{};
  for (std::size_t i = 0; i < digests.size(); ++i) {
    b.begin(i == 2 ? 6 : 5);
    b.world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
    start({}, 2);
    b.ask("m", "SET", "k", "1", "PX", 500);
    b.ask("m", "WAIT", 2, 100);
    b.world.kill(b.node("m"));
    b.ask("r1", "REPLICAOF", "NO", "ONE");
    b.ask("r2", "REPLICAOF", "r1", 6379);
    b.world.restart(b.node("m"));
    b.pass(seconds(20));
    digests[i] = b.world.trace.digest();
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[0], digests[2]);
}

// --- for judges --------------------------------------------------------------------------------------

TEST_F(ReplicationTest, FieldsOfHashesAreRecordedOnBothSides) {
  start();
  b.run(b.channel("c", "m"), RedisCommand("HSET", "h", "owner", "2", "mode", "read"), 9);
  b.run(b.channel("c", "m"), RedisCommand("HINCRBY", "h", "owner", -1), 9);
  b.run(b.channel("c", "m"), RedisCommand("HDEL", "h", "mode"), 9);
  b.pass(milliseconds(1));
  for (const char* server : {"m", "r1"}) {
    std::vector<TraceRecord> seen;
    for (const TraceRecord& r : b.world.trace.journal()) {
      if (r.node == b.node(server) && r.kind >= trace::redis_field_number && r.kind <= trace::redis_field_removed) {
        seen.push_back(r);
      }
    }
    ASSERT_EQ(seen.size(), 4u) << server;
    EXPECT_EQ(seen[0].kind, trace::redis_field_number);
    EXPECT_EQ(seen[0].b, hash_of("owner"));
    EXPECT_EQ(seen[0].c, 2u);
    EXPECT_EQ(seen[1].kind, trace::redis_field_text);
    EXPECT_EQ(seen[1].c, hash_of("read"));
    EXPECT_EQ(seen[2].c, 1u);
    EXPECT_EQ(seen[3].kind, trace::redis_field_removed);
    EXPECT_EQ(seen[3].b, hash_of("mode"));
    for (const TraceRecord& r : seen) EXPECT_EQ(r.a, 9u);
  }
}

}  // namespace
}  // namespace picklock
