// Replication: streams, resynchronization, roles, restarts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/sha1.hpp"
#include "sim/redis/outputs.hpp"
#include "sim/redis/replication_lab.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace replication_test {

class ReplicationTest : public ::testing::Test {
 protected:
  ReplicationLab lab;
};

constexpr std::string_view kReadonly = "!READONLY You can't write against a read only replica.";

// --- the stream ----------------------------------------------------------------------------------

TEST_F(ReplicationTest, CarriesWritesFromMasterToReplica) {
  lab.start();
  const std::int64_t before = lab.offset("m");
  EXPECT_EQ(lab.ask("m", "SET", "k", "1", "PX", 30000), "OK");
  EXPECT_EQ(lab.offset("m") - before, 57) << "SET k 1 PXAT (13 digits), as the real server counts it";
  lab.pass(milliseconds(1));
  EXPECT_EQ(lab.ask("r1", "GET", "k"), "\"1\"");
  EXPECT_EQ(lab.data("r1"), lab.data("m"));
  EXPECT_EQ(lab.offset("r1"), lab.offset("m"));
  EXPECT_EQ(lab.server("r1").stream().id(), lab.server("m").stream().id());
  EXPECT_EQ(lab.ask("r1", "SET", "k", "2"), kReadonly);
  EXPECT_EQ(lab.ask("r1", "EVAL", "release", 1, "k", "1"),
            fmt::format("{} script: release, on @user_script:1.", kReadonly));
}

TEST_F(ReplicationTest, AReplicaKnowsNoTextsOfScripts) {
  lab.start();
  const std::string_view text = "return redis.call('GET', KEYS[1])";
  const std::string sha1 = sha1_hex(text);
  EXPECT_EQ(lab.ask("m", "EVAL", text, 1, "k"), "nil");
  EXPECT_EQ(lab.ask("m", "EVALSHA", sha1, 1, "k"), "nil");
  lab.pass(milliseconds(1));
  EXPECT_EQ(lab.ask("r1", "EVALSHA_RO", sha1, 1, "k"), "!NOSCRIPT No matching script. Please use EVAL.");
}

TEST_F(ReplicationTest, TheMasterAnswersWithoutWaiting) {
  lab.start();
  lab.world.network.set_latency(lab.node("m"), lab.node("r1"), Law::constant(seconds(1)));
  const TrueTime asked = lab.world.now();
  EXPECT_EQ(lab.ask("m", "SET", "k", "1"), "OK");
  EXPECT_EQ(lab.world.now() - asked, microseconds(200));
  EXPECT_EQ(lab.ask("r1", "GET", "k"), "nil");
  lab.pass(seconds(1));
  EXPECT_EQ(lab.ask("r1", "GET", "k"), "\"1\"");
}

TEST_F(ReplicationTest, AScriptIsOneUnitOfTheStream) {
  lab.start();
  const std::int64_t before = lab.offset("m");
  EXPECT_EQ(lab.ask("m", "MULTI"), "OK");
  EXPECT_EQ(lab.ask("m", "SET", "a", "1"), "QUEUED");
  EXPECT_EQ(lab.ask("m", "SET", "b", "2"), "QUEUED");
  EXPECT_EQ(lab.ask("m", "EXEC"), "[OK, OK]");
  EXPECT_EQ(lab.offset("m") - before, 83) << "MULTI, two SETs and EXEC, as the real server counts them";
  lab.pass(milliseconds(1));
  std::vector<std::int64_t> instants;
  for (const TraceRecord& r : lab.world.trace.journal()) {
    if (r.kind == trace::redis_key_changed && r.node == lab.node("r1")) instants.push_back(r.time);
  }
  ASSERT_EQ(instants.size(), 2u);
  EXPECT_EQ(instants[0], instants[1]);
}

TEST_F(ReplicationTest, AChangeKeepsItsHoldOnTheReplica) {
  lab.start();
  lab.run(lab.channel("c", "m"), RedisCommand("SET", "k", "1", "PX", 50), 7);
  lab.pass(seconds(1));
  std::vector<std::pair<std::uint32_t, KeyChange>> seen;
  for (const TraceRecord& r : lab.world.trace.journal()) {
    if (r.kind != trace::redis_key_changed || r.node != lab.node("r1")) continue;
    EXPECT_EQ(r.b, hash_of("k"));
    seen.emplace_back(r.a, static_cast<KeyChange>(trace::redis_change_what(r.c)));
  }
  const std::vector<std::pair<std::uint32_t, KeyChange>> expected = {{7, KeyChange::set}, {0, KeyChange::expired}};
  EXPECT_EQ(seen, expected) << "and an expiry is one there, too";
}

TEST_F(ReplicationTest, PublishedMessagesReachTheReplicasSubscribers) {
  lab.start();
  RpcChannel& listener = lab.channel("listener", "r1");
  EXPECT_EQ(lab.run(listener, RedisCommand("SUBSCRIBE", "ch")), "[\"subscribe\", \"ch\", 1]");
  EXPECT_EQ(lab.ask("m", "PUBLISH", "ch", "hello"), "0");
  lab.pass(milliseconds(1));
  Payload push;
  ASSERT_TRUE(listener.take_push(push));
  ASSERT_NE(push.get<RedisReply>(), nullptr);
  EXPECT_EQ(push.get<RedisReply>()->to_string(), "[\"message\", \"ch\", \"hello\"]");
}

TEST_F(ReplicationTest, AReplicaOfAReplicaFollowsToo) {
  lab.start();
  lab.add("leaf", "r1");
  lab.pass(milliseconds(10));
  lab.ask("m", "INCR", "n");
  lab.pass(milliseconds(1));
  EXPECT_EQ(lab.ask("leaf", "GET", "n"), "\"1\"");
  EXPECT_EQ(lab.offset("leaf"), lab.offset("m"));
  EXPECT_EQ(lab.server("leaf").stream().id(), lab.server("m").stream().id());
  // A new history is passed on: the middle one's promotion leaves the leaf with it.
  lab.ask("r1", "REPLICAOF", "NO", "ONE");
  lab.ask("r1", "INCR", "n");
  lab.pass(seconds(2));
  EXPECT_EQ(lab.ask("leaf", "GET", "n"), "\"2\"");
  EXPECT_EQ(lab.resyncs("leaf"), 1u) << "only the first";
}

// --- expiry --------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AReplicaHidesWhatHasExpiredAndDeletesNothing) {
  lab.start();
  lab.ask("m", "SET", "k", "1", "PX", 60000);
  lab.pass(milliseconds(1));
  lab.world.faults.step_clock(lab.node("r1"), seconds(61));
  lab.pass(seconds(5));
  EXPECT_EQ(lab.ask("r1", "GET", "k"), "nil");
  EXPECT_EQ(lab.data("r1"), lab.data("m")) << "still there, with the master's deadline";
  EXPECT_EQ(lab.ask("m", "GET", "k"), "\"1\"");
  // Promoted, it expires by its own clock.
  lab.ask("r1", "REPLICAOF", "NO", "ONE");
  lab.pass(seconds(1));
  EXPECT_EQ(lab.data("r1"), "");
}

TEST_F(ReplicationTest, TheMastersExpiryTravelsAsADeletion) {
  lab.start();
  lab.ask("m", "SET", "k", "1", "PX", 50);
  lab.pass(milliseconds(20));
  lab.world.faults.step_clock(lab.node("r1"), -seconds(3600));
  lab.pass(seconds(1));
  EXPECT_EQ(lab.data("m"), "");
  EXPECT_EQ(lab.data("r1"), "");
}

// --- links that break ------------------------------------------------------------------------------

TEST_F(ReplicationTest, AShortCutIsMadeUpForFromTheBacklog) {
  lab.start();
  lab.run(lab.channel("other", "m"), RedisCommand("CLIENT", "KILL", "TYPE", "replica"));
  EXPECT_EQ(lab.ask("m", "SET", "k", "1"), "OK");
  lab.pass(milliseconds(10));
  EXPECT_EQ(lab.ask("r1", "GET", "k"), "\"1\"");
  EXPECT_EQ(lab.resyncs("r1"), 1u);
  EXPECT_EQ(lab.info("r1", "master_link_status"), "up");
}

TEST_F(ReplicationTest, WhatTheBacklogHasLostTakesAFullResynchronization) {
  lab.start({.repl_timeout = seconds(5), .repl_diskless_sync_delay = Duration{}, .repl_backlog_size = 100});
  const std::uint32_t cut = lab.cut("m", "r1");
  for (int i = 0; i < 10; ++i) lab.ask("m", "SET", "k" + std::to_string(i), "some value");
  lab.pass(seconds(20));
  EXPECT_EQ(lab.info("m", "connected_slaves"), "0");
  EXPECT_EQ(lab.info("r1", "master_link_status"), "down");
  lab.heal(cut);
  lab.pass(seconds(30));
  EXPECT_EQ(lab.resyncs("r1"), 2u);
  EXPECT_EQ(lab.data("r1"), lab.data("m"));
}

TEST_F(ReplicationTest, SilenceEndsALinkAfterReplTimeout) {
  lab.start();
  lab.pass(seconds(5));
  const std::uint32_t cut = lab.cut("m", "r1");
  lab.pass(seconds(55));
  EXPECT_EQ(lab.info("m", "connected_slaves"), "1");
  EXPECT_EQ(lab.info("r1", "master_link_status"), "up");
  lab.pass(seconds(20));
  EXPECT_EQ(lab.info("m", "connected_slaves"), "0");
  EXPECT_EQ(lab.info("r1", "master_link_status"), "down");
  lab.heal(cut);
  lab.pass(seconds(70));  // the retransmissions of its attempts had backed off
  EXPECT_EQ(lab.info("r1", "master_link_status"), "up");
  EXPECT_EQ(lab.resyncs("r1"), 1u);
}

TEST_F(ReplicationTest, ASnapshotWaitsForReplDisklessSyncDelay) {
  lab.add("m");
  lab.add("late", "m", {}, false);
  lab.pass(seconds(3));
  EXPECT_EQ(lab.info("m", "slave0"), "ip=late,port=6379,state=wait_bgsave,offset=0,lag=0");
  EXPECT_EQ(lab.ask("late", "ROLE"), "[\"slave\", \"m\", 6379, \"handshake\", -1]");
  lab.ask("m", "SET", "k", "1");
  lab.pass(seconds(3));
  EXPECT_EQ(lab.info("m", "slave0").substr(0, 31), "ip=late,port=6379,state=online,");
  EXPECT_EQ(lab.data("late"), lab.data("m"));
}

TEST_F(ReplicationTest, AReplicaTriesEachSecondToReachADeadMaster) {
  lab.start();
  lab.world.faults.kill(lab.node("m"));
  lab.pass(seconds(10));
  EXPECT_EQ(lab.info("r1", "master_link_status"), "down");
  lab.world.faults.restart(lab.node("m"));
  lab.pass(seconds(8));
  EXPECT_EQ(lab.info("r1", "master_link_status"), "up");
}

// --- roles -----------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AnotherReplicaGoesOnWithThePromotedOne) {
  lab.start({}, 2);
  lab.ask("m", "SET", "k", "1");
  lab.pass(milliseconds(1));
  lab.world.faults.kill(lab.node("m"));
  EXPECT_EQ(lab.ask("r1", "REPLICAOF", "NO", "ONE"), "OK");
  EXPECT_EQ(lab.ask("r1", "SET", "k", "2"), "OK");
  EXPECT_EQ(lab.ask("r2", "REPLICAOF", "r1", 6379), "OK");
  lab.pass(milliseconds(10));
  EXPECT_EQ(lab.ask("r2", "GET", "k"), "\"2\"");
  EXPECT_EQ(lab.resyncs("r2"), 1u);
  EXPECT_EQ(lab.info("r1", "master_replid2"), lab.info("r2", "master_replid2"));
}

TEST_F(ReplicationTest, ADemotedMasterLosesWhatNoOtherServerHas) {
  lab.start();
  lab.ask("m", "SET", "old", "1");
  lab.pass(milliseconds(1));
  const std::uint32_t cut = lab.cut("m", "r1");
  EXPECT_EQ(lab.ask("m", "SET", "lost", "1"), "OK");
  lab.ask("r1", "REPLICAOF", "NO", "ONE");
  lab.ask("r1", "SET", "new", "1");
  lab.heal(cut);
  EXPECT_EQ(lab.ask("m", "REPLICAOF", "r1", 6379), "OK");
  EXPECT_EQ(lab.ask("m", "SET", "k", "1"), kReadonly);
  EXPECT_EQ(lab.ask("m", "EXISTS", "lost"), "1") << "until the snapshot has come";
  lab.pass(seconds(7));
  EXPECT_EQ(lab.resyncs("m"), 1u);
  EXPECT_EQ(lab.ask("m", "EXISTS", "old", "new"), "2");
  EXPECT_EQ(lab.ask("m", "EXISTS", "lost"), "0");
}

TEST_F(ReplicationTest, ADemotedMasterWithNothingOfItsOwnGoesOn) {
  lab.start();
  lab.ask("m", "SET", "old", "1");
  lab.pass(milliseconds(1));
  lab.ask("r1", "REPLICAOF", "NO", "ONE");
  lab.ask("r1", "SET", "new", "1");
  lab.ask("m", "REPLICAOF", "r1", 6379);
  lab.pass(milliseconds(10));
  EXPECT_EQ(lab.resyncs("m"), 0u);
  EXPECT_EQ(lab.data("m"), lab.data("r1"));
}

TEST_F(ReplicationTest, OnlyARewrittenRoleSurvivesARestart) {
  lab.start();
  const auto restart = [&](std::string_view name) {
    lab.world.faults.kill(lab.node(name));
    lab.world.faults.restart(lab.node(name));
    lab.pass(milliseconds(10));
  };
  restart("r1");
  EXPECT_EQ(lab.info("r1", "role"), "slave");
  lab.ask("r1", "REPLICAOF", "NO", "ONE");
  restart("r1");
  EXPECT_EQ(lab.info("r1", "role"), "slave");
  lab.ask("r1", "MULTI");
  lab.ask("r1", "REPLICAOF", "NO", "ONE");
  lab.ask("r1", "CONFIG", "REWRITE");
  lab.ask("r1", "CLIENT", "KILL", "TYPE", "normal");
  lab.ask("r1", "CLIENT", "KILL", "TYPE", "pubsub");
  EXPECT_EQ(lab.ask("r1", "EXEC"), "[OK, OK, 0, 0]");
  restart("r1");
  EXPECT_EQ(lab.info("r1", "role"), "master");
  lab.ask("m", "REPLICAOF", "r1", 6379);
  lab.ask("m", "CONFIG", "REWRITE");
  restart("m");
  EXPECT_EQ(lab.info("m", "role"), "slave");
  EXPECT_EQ(lab.info("m", "master_host"), "r1");
  std::vector<std::uint32_t> roles;
  for (const TraceRecord& r : lab.world.trace.journal()) {
    if (r.kind == trace::redis_role && r.node == lab.node("r1")) roles.push_back(r.a);
  }
  EXPECT_EQ(roles, (std::vector<std::uint32_t>{2, 2, 1, 2, 1, 1})) << "boot, boot, promoted, boot, promoted, boot";
}

TEST_F(ReplicationTest, ATransactionThatMeetsADemotionDoesNothing) {
  lab.start();
  lab.ask("m", "MULTI");
  lab.ask("m", "SET", "k", "1");
  lab.run(lab.channel("other", "m"), RedisCommand("REPLICAOF", "r1", 6379));
  EXPECT_EQ(lab.ask("m", "EXEC"),
            "!EXECABORT Transaction discarded because of: READONLY You can't write against a read only replica.");
}

TEST_F(ReplicationTest, KillingClientsByType) {
  lab.start();
  RpcChannel &normal = lab.channel("normal", "m"), &listener = lab.channel("listener", "m");
  lab.run(normal, RedisCommand("PING"));
  lab.run(listener, RedisCommand("SUBSCRIBE", "ch"));
  EXPECT_EQ(lab.ask("m", "CLIENT", "KILL", "TYPE", "normal"), "1");
  lab.pass(milliseconds(1));
  EXPECT_FALSE(normal.connected());
  EXPECT_TRUE(listener.connected());
  EXPECT_EQ(lab.ask("m", "CLIENT", "KILL", "TYPE", "pubsub"), "1");
  lab.pass(milliseconds(1));
  EXPECT_FALSE(listener.connected());
  EXPECT_EQ(lab.info("m", "connected_slaves"), "1");
  EXPECT_EQ(lab.ask("m", "CLIENT", "KILL", "TYPE", "other"), "!ERR Unknown client type 'other'");
}

TEST_F(ReplicationTest, AWritableReplicaKeepsItsWritesToItself) {
  lab.start({.replica_read_only = false});
  EXPECT_EQ(lab.ask("r1", "SET", "mine", "1", "NX", "PX", 50), "OK");
  lab.pass(milliseconds(100));
  EXPECT_EQ(lab.ask("r1", "GET", "mine"), "nil");
  EXPECT_EQ(lab.ask("r1", "SET", "mine", "2", "NX"), "OK")
      << "a writable replica deletes an expired key before it writes";
  EXPECT_EQ(lab.ask("m", "GET", "mine"), "nil");
}

TEST_F(ReplicationTest, ConfigIsReadAndSetByTheNamesOfRedisConf) {
  lab.start();
  EXPECT_EQ(lab.ask("m", "CONFIG", "GET", "min-replicas-*"),
            "[\"min-replicas-to-write\", \"0\", \"min-replicas-max-lag\", \"10\"]");
  EXPECT_EQ(lab.ask("m", "CONFIG", "SET", "repl-timeout", 7, "replica-read-only", "no"), "OK");
  EXPECT_EQ(lab.ask("m", "CONFIG", "GET", "repl-timeout"), "[\"repl-timeout\", \"7\"]");
  EXPECT_EQ(lab.ask("m", "CONFIG", "SET", "foo", 1),
            "!ERR Unknown option or number of arguments for CONFIG SET - 'foo'");
  EXPECT_EQ(lab.ask("m", "CONFIG", "SET", "repl-timeout", "soon").substr(0, 22), "!ERR CONFIG SET failed");
  EXPECT_EQ(lab.ask("m", "CONFIG", "SET", "appendonly", "always").substr(0, 22), "!ERR CONFIG SET failed");
}

// --- restarts --------------------------------------------------------------------------------------

TEST_F(ReplicationTest, AMasterThatRestartsEmptyEmptiesItsReplicas) {
  lab.start();
  lab.ask("m", "SET", "k", "1");
  lab.pass(milliseconds(10));
  lab.world.faults.kill(lab.node("m"));
  lab.world.faults.restart(lab.node("m"));
  lab.pass(seconds(1));
  EXPECT_NE(lab.data("r1"), "");
  lab.pass(seconds(6));
  EXPECT_EQ(lab.data("r1"), "");
  EXPECT_EQ(lab.resyncs("r1"), 2u);
}

TEST_F(ReplicationTest, WithAnAppendOnlyFileItDoesNot) {
  lab.start({.appendonly = AppendOnly::always});
  lab.ask("m", "SET", "k", "1");
  lab.pass(milliseconds(10));
  for (const bool power : {false, true}) {
    if (power)
      lab.world.faults.lose_power(lab.node("m"));
    else
      lab.world.faults.kill(lab.node("m"));
    lab.world.faults.restart(lab.node("m"));
    lab.pass(seconds(80));
    EXPECT_NE(lab.data("r1"), "");
    EXPECT_EQ(lab.data("r1"), lab.data("m"));
  }
}

TEST_F(ReplicationTest, AReplicaLogsWhatItIsSent) {
  lab.start({.appendonly = AppendOnly::always});
  lab.ask("m", "SET", "a", "1");
  lab.ask("m", "SET", "b", "1", "PX", 100000);
  lab.pass(milliseconds(20));
  const std::string data = lab.data("r1");
  lab.world.faults.kill(lab.node("m"));
  lab.world.faults.lose_power(lab.node("r1"));
  lab.world.faults.restart(lab.node("r1"));
  EXPECT_EQ(lab.data("r1"), data);
}

TEST_F(ReplicationTest, WhatAKilledMasterHandedToItsKernelStillArrives) {
  for (const bool power : {false, true}) {
    lab.begin(1);
    lab.start();
    const std::uint32_t cut = lab.cut("m", "r1");
    lab.ask("m", "SET", "k", "1");
    if (power)
      lab.world.faults.lose_power(lab.node("m"));
    else
      lab.world.faults.kill(lab.node("m"));
    lab.heal(cut);
    lab.pass(seconds(1));
    EXPECT_EQ(lab.ask("r1", "EXISTS", "k"), power ? "0" : "1");
  }
}

// --- runs ------------------------------------------------------------------------------------------

TEST_F(ReplicationTest, OneSeedIsOneRun) {
  std::array<std::uint64_t, 3> digests{};
  for (std::size_t i = 0; i < digests.size(); ++i) {
    lab.begin(i == 2 ? 6 : 5);
    lab.world.network.set_latency(Law::uniform(microseconds(50), microseconds(150)));
    lab.start({}, 2);
    lab.ask("m", "SET", "k", "1", "PX", 500);
    lab.ask("m", "WAIT", 2, 100);
    lab.world.faults.kill(lab.node("m"));
    lab.ask("r1", "REPLICAOF", "NO", "ONE");
    lab.ask("r2", "REPLICAOF", "r1", 6379);
    lab.world.faults.restart(lab.node("m"));
    lab.pass(seconds(20));
    digests[i] = lab.world.trace.digest();
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[0], digests[2]);
}

// --- for judges --------------------------------------------------------------------------------------

TEST_F(ReplicationTest, FieldsOfHashesAreRecordedOnBothSides) {
  lab.start();
  lab.run(lab.channel("c", "m"), RedisCommand("HSET", "h", "owner", "2", "mode", "read"), 9);
  lab.run(lab.channel("c", "m"), RedisCommand("HINCRBY", "h", "owner", -1), 9);
  lab.run(lab.channel("c", "m"), RedisCommand("HDEL", "h", "mode"), 9);
  lab.pass(milliseconds(1));
  for (const char* server : {"m", "r1"}) {
    std::vector<TraceRecord> seen;
    for (const TraceRecord& r : lab.world.trace.journal()) {
      if (r.node == lab.node(server) && r.kind >= trace::redis_field_number && r.kind <= trace::redis_field_removed) {
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

}  // namespace replication_test
}  // namespace picklock
