// Nodes of a cluster as servers of a world: what clients are told, and whole failovers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/sha1.hpp"
#include "sim/core/effort_lab.hpp"
#include "sim/redis/cluster/cluster_lab.hpp"
#include "sim/redis/cluster/cluster_text.hpp"

namespace picklock {
namespace cluster_server_test {

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

TEST(ClusterServer, EachPartOfAPacketIsInItsBytes) {
  ClusterPacket p;
  p.kind = ClusterPacket::Kind::update;
  p.from = 4, p.to = 2, p.epoch = 9, p.config_epoch = 8, p.master = kNobody, p.about = 5, p.offset = -7;
  p.shards = {0, 2};
  p.gossip = {{1, true}, {3, false}};
  std::set<std::string> all;
  const auto add = [&all](const ClusterPacket& one) {
    std::string bytes;
    encode(one, bytes);
    return all.insert(bytes).second;
  };
  EXPECT_TRUE(add(p));
  EXPECT_FALSE(add(p));
  EXPECT_TRUE(add((p.kind = ClusterPacket::Kind::ping, p)));
  EXPECT_TRUE(add((p.offset = 7, p)));
  EXPECT_TRUE(add((p.shards = {0}, p)));
  EXPECT_TRUE(add((p.gossip[1].failing = true, p)));
}

TEST(ClusterServer, AStoreComesBackFromItsBytes) {
  ClusterStore s = even_cluster(3, 2);
  s.last_vote = 5;
  std::string bytes;
  encode(s, bytes);
  EXPECT_EQ(decode_store(bytes), s);
}

TEST(ClusterServer, KeysOfACommand) {
  const auto slot = [](auto... args) {
    const RedisCommand command(args...);
    return slot_of(command);
  };
  EXPECT_EQ(slot("SET", "123456789", "v"), 0x31c3u);
  EXPECT_EQ(slot("get", "{a}1"), cluster_slot("a"));
  EXPECT_EQ(slot("DEL", "{a}1", "{a}2"), cluster_slot("a"));
  EXPECT_EQ(slot("DEL", "a", "b"), kSeveralSlots);
  EXPECT_EQ(slot("EVAL", "script", "2", "{a}1", "{a}2", "b"), cluster_slot("a"));
  EXPECT_EQ(slot("EVAL", "script", "0", "b"), kNoSlot);
  EXPECT_EQ(slot("WAIT", "1", "0"), kNoSlot);
  EXPECT_EQ(slot("PUBLISH", "a", "m"), kNoSlot);
}

// Redis cluster specification: MOVED slot address; CROSSSLOT; commands without a key are served by all.
TEST(ClusterServer, EachKeyHasOneServer) {
  ClusterLab lab;
  lab.run_until(seconds(2));
  const std::string slot = std::to_string(cluster_slot(ClusterLab::kKey));
  for (std::uint32_t i = 0; i < 6; ++i) {
    const RedisCommand set("SET", ClusterLab::kKey, "v");
    const std::string moved = "MOVED " + slot + " n" + std::to_string(lab.owner()) + ":6379";
    EXPECT_EQ(lab.ask(i, set), i == lab.owner() ? "OK" : moved) << i;
    EXPECT_EQ(lab.ask(i, RedisCommand("PING")), "PONG");
  }
  EXPECT_EQ(lab.ask(0, RedisCommand("DEL", "a", "b")), "CROSSSLOT Keys in request don't hash to the same slot");
  EXPECT_EQ(lab.ask(0, RedisCommand("REPLICAOF", "NO", "ONE")), "ERR REPLICAOF not allowed in cluster mode.");
}

std::string id_of(const std::string& node) { return sha1_hex(node); }

// The shapes of these answers are those of redis-server 7.0.15.
TEST(ClusterServer, TellsClientsOfItsNodes) {
  ClusterLab lab;
  lab.run_until(seconds(2));
  const auto endpoint = [](const std::string& node) {
    return fmt::format("[\"{}\", 6379, \"{}\", []]", node, id_of(node));
  };
  EXPECT_EQ(lab.ask(4, RedisCommand("CLUSTER", "SLOTS")),
            fmt::format("[[0, 5461, {}, {}], [5462, 10922, {}, {}], [10923, 16383, {}, {}]]", endpoint("n0"),
                        endpoint("n3"), endpoint("n1"), endpoint("n4"), endpoint("n2"), endpoint("n5")));
  const auto shown = [](const std::string& node, const std::string& role) {
    return fmt::format(
        "[\"id\", \"{0}\", \"port\", 6379, \"ip\", \"{1}\", \"endpoint\", \"{1}\", \"role\", \"{2}\", "
        "\"replication-offset\", 0, \"health\", \"online\"]",
        id_of(node), node, role);
  };
  EXPECT_TRUE(lab.ask(4, RedisCommand("CLUSTER", "shards"))
                  .starts_with(fmt::format("[[\"slots\", [0, 5461], \"nodes\", [{}, {}]], ", shown("n0", "master"),
                                           shown("n3", "replica"))));
  const std::string nodes = lab.ask(4, RedisCommand("CLUSTER", "NODES"));
  EXPECT_NE(nodes.find(id_of("n1") + " n1:6379@16379 master - 0 0 2 connected 5462-10922\\x0a"), std::string::npos)
      << nodes;
  EXPECT_NE(nodes.find(id_of("n4") + " n4:6379@16379 myself,slave " + id_of("n1") + " 0 0 2 connected\\x0a"),
            std::string::npos)
      << nodes;
  EXPECT_EQ(lab.ask(4, RedisCommand("CLUSTER", "MYID")), '"' + id_of("n4") + '"');
  EXPECT_EQ(lab.ask(4, RedisCommand("CLUSTER", "KEYSLOT", "lock")), "8718");
  EXPECT_TRUE(lab.ask(4, RedisCommand("CLUSTER", "INFO")).starts_with("\"cluster_state:ok"));
  EXPECT_TRUE(lab.ask(4, RedisCommand("INFO")).ends_with("# Cluster\\x0d\\x0acluster_enabled:1\\x0d\\x0a\""));
  EXPECT_EQ(lab.ask(4, RedisCommand("CLUSTER", "KEYSLOT")),
            "ERR wrong number of arguments for 'cluster|keyslot' command");
  EXPECT_EQ(lab.ask(4, RedisCommand("CLUSTER", "FOO")), "ERR unknown subcommand 'FOO'. Try CLUSTER HELP.");
  EXPECT_EQ(lab.ask(4, RedisCommand("READONLY")), "OK");
  EXPECT_EQ(lab.ask(4, RedisCommand("SELECT", "1")), "ERR SELECT is not allowed in cluster mode");
}

// Scripts by their digests, channels of shards and commands with several keys go where their keys lie.
TEST(ClusterServer, EveryCommandWithAKeyIsSentToItsOwner) {
  const auto slot = [](auto... args) {
    const RedisCommand command(args...);
    return slot_of(command);
  };
  EXPECT_EQ(slot("EVALSHA", "digest", "1", "a"), cluster_slot("a"));
  EXPECT_EQ(slot("EVAL_RO", "script", "1", "a"), cluster_slot("a"));
  EXPECT_EQ(slot("SSUBSCRIBE", "a"), cluster_slot("a"));
  EXPECT_EQ(slot("SPUBLISH", "a", "b"), cluster_slot("a"));
  EXPECT_EQ(slot("MSET", "{a}1", "v", "{a}2", "w"), cluster_slot("a")) << "values are no keys";
  EXPECT_EQ(slot("MGET", "a", "b"), kSeveralSlots);
  EXPECT_EQ(slot("SUBSCRIBE", "a"), kNoSlot);
  EXPECT_EQ(slot("EVALSHA", "digest", "0", "a"), kNoSlot);
}

// A transaction with a command for elsewhere is refused as a whole.
TEST(ClusterServer, ARefusedCommandSpoilsItsTransaction) {
  ClusterLab lab;
  lab.run_until(seconds(2));
  const std::uint32_t other = (lab.owner() + 1) % 3;
  EXPECT_EQ(lab.ask(other, RedisCommand("MULTI")), "OK");
  EXPECT_EQ(lab.ask(other, RedisCommand("SET", ClusterLab::kKey, "v")).substr(0, 5), "MOVED");
  EXPECT_EQ(lab.ask(other, RedisCommand("EXEC")).substr(0, 9), "EXECABORT");
}

// … and one that was queued where the key's owner no longer may serve does not run.
TEST(ClusterServer, AQueuedTransactionIsRefusedOnceTheNodeMayNotServe) {
  ClusterLab lab;
  lab.run_until(seconds(2));
  EXPECT_EQ(lab.ask(lab.owner(), RedisCommand("MULTI")), "OK");
  EXPECT_EQ(lab.ask(lab.owner(), RedisCommand("SET", ClusterLab::kKey, "v")), "QUEUED");
  lab.cut({ClusterLab::node(lab.owner()), lab.client});
  lab.run_until(seconds(8));
  EXPECT_EQ(lab.ask(lab.owner(), RedisCommand("EXEC")), "CLUSTERDOWN The cluster is down");
  EXPECT_EQ(lab.ask(lab.owner(), RedisCommand("EXEC")), "ERR EXEC without MULTI");
}

TEST(ClusterServer, AReplicaTakesOverAndTheOldMasterFollowsWithItsDataGone) {
  std::vector<Duration> gaps;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ClusterLab lab({}, seed);
    const std::uint32_t owner = lab.owner(), replica = lab.replica();
    lab.run_until(seconds(3) + ms(static_cast<std::int64_t>(seed) * 37));
    EXPECT_EQ(lab.ask(owner, RedisCommand("SET", "{0}before", "1")), "OK");
    lab.run_until(lab.now() + ms(200));
    // Writes that the replica does not hear of are lost.
    const auto rules = lab.cut({ClusterLab::node(owner), lab.client});
    EXPECT_EQ(lab.ask(owner, RedisCommand("SET", "{0}lost", "1")), "OK");
    lab.world.faults.lose_power(ClusterLab::node(owner));
    lab.heal(rules);
    const Duration died = lab.now();
    while (lab.serving().empty() && lab.now() < died + seconds(20)) lab.run_until(lab.now() + ms(1));
    ASSERT_EQ(lab.serving(), std::vector<std::uint32_t>{replica}) << seed;
    gaps.push_back(lab.now() - died);
    EXPECT_EQ(lab.ask(replica, RedisCommand("EXISTS", "{0}before", "{0}lost")), "1");
    EXPECT_EQ(lab.ask(replica, RedisCommand("SET", "{0}after", "1")), "OK");
    lab.world.faults.restart(ClusterLab::node(owner));
    lab.run_until(lab.now() + seconds(15));
    EXPECT_EQ(lab.servers[owner]->master(), ClusterLab::node(replica));
    EXPECT_TRUE(lab.servers[owner]->link().connected());
    RedisInspect::Key found;
    const RedisInspect data = lab.servers[owner]->inspect(lab.world, ClusterLab::node(owner));
    EXPECT_TRUE(data.find("{0}after", found));
    EXPECT_FALSE(data.find("{0}lost", found));
    EXPECT_EQ(lab.serving(), std::vector<std::uint32_t>{replica});
  }
  const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
  fmt::print("node timeout 2000: served again after {} to {} ms\n", least->ms(), most->ms());
  EXPECT_GE(*least, ms(2000 + 500));
  EXPECT_LE(*most, ms(2 * 2000 + 500 + 500 + 1000));
}

// Cut off with a client: it serves for a node timeout and a little, then refuses, then follows.
TEST(ClusterServer, TheMinorityMasterRefusesAfterTheNodeTimeout) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ClusterLab lab({}, seed);
    const NodeId owner = ClusterLab::node(lab.owner()), replica = ClusterLab::node(lab.replica());
    lab.write_every(ms(50));
    lab.run_until(seconds(5));
    const auto rules = lab.cut({owner, lab.client});
    lab.run_until(seconds(5) + ms(4500));
    EXPECT_GT(lab.count("OK", owner, seconds(5), ms(6900)), 30u) << "it knows of nothing";
    EXPECT_EQ(lab.count("OK", owner, ms(8500), seconds(10)), 0u);
    EXPECT_EQ(lab.serving(), std::vector<std::uint32_t>{lab.replica()}) << seed;
    lab.heal(rules);
    lab.run_until(seconds(25));
    EXPECT_EQ(lab.servers[lab.owner()]->master(), replica);
    EXPECT_GT(lab.count("OK", replica, seconds(15), seconds(25)), 150u);
    std::vector<std::uint64_t> said;
    for (const TraceRecord& r : lab.world.trace.journal()) {
      if (r.kind == trace::redis_serves && r.node == owner) said.push_back(r.a);
    }
    ASSERT_GE(said.size(), 2u);
    EXPECT_EQ(said.front(), 0u);
    EXPECT_EQ(said.back(), 1u);
  }
}

TEST(ClusterServer, ARestartedMasterRefusesForTwoSecondsAndComesBackEmpty) {
  ClusterLab lab;
  const std::uint32_t owner = lab.owner();
  lab.run_until(seconds(3));
  EXPECT_EQ(lab.ask(owner, RedisCommand("SET", ClusterLab::kKey, "1")), "OK");
  lab.world.faults.kill(ClusterLab::node(owner));
  lab.run_until(seconds(3) + ms(300));
  lab.world.faults.restart(ClusterLab::node(owner));
  lab.run_until(seconds(4));
  EXPECT_EQ(lab.ask(owner, RedisCommand("GET", ClusterLab::kKey)), "CLUSTERDOWN The cluster is down");
  lab.run_until(seconds(7));
  EXPECT_EQ(lab.ask(owner, RedisCommand("GET", ClusterLab::kKey)), "nil")
      << "no replica has been promoted, and nothing was on disk";
}

// A vote that was cast is not cast again after a loss of power: the file is synced before it leaves.
TEST(ClusterServer, WhatWasSaidIsOnTheDisk) {
  ClusterLab lab;
  lab.run_until(seconds(3));
  lab.world.faults.kill(ClusterLab::node(lab.owner()));
  lab.run_until(seconds(10));
  const std::uint32_t other = (lab.owner() + 1) % 3;
  const ClusterStore said = lab.buses[other]->node().stored();
  EXPECT_GT(said.last_vote, 0u);
  lab.world.faults.lose_power(ClusterLab::node(other));
  lab.world.faults.restart(ClusterLab::node(other));
  lab.run_until(seconds(10) + ms(1));
  EXPECT_EQ(lab.buses[other]->node().stored(), said);
}

// Any sequence of kills, losses of power, restarts and cuts: one owner in the end, agreed upon by all.
struct Ended {
  bool agree = true, two_serve = false;
  std::size_t roles = 0;
};
Ended disturb(std::uint64_t seed, ClusterFlaw flaw) {
  ClusterLab lab({.flaw = flaw}, seed);
  std::uint64_t state = seed;
  const auto dice = [&state](std::uint64_t n) { return mix(state += kGolden) % n; };
  std::vector<std::uint32_t> rules;
  Ended out;
  lab.run_until(seconds(2));
  for (int i = 0; i < 6; ++i) {
    const NodeId n = ClusterLab::node(static_cast<std::uint32_t>(dice(6)));
    switch (dice(4)) {
      case 0:
        lab.world.faults.kill(n);
        break;
      case 1:
        lab.world.faults.lose_power(n);
        break;
      case 2:
        for (NodeId k = 1; k <= 6; ++k) {
          if (!lab.world.nodes.alive(k)) lab.world.faults.restart(k);
        }
        break;
      default:
        lab.heal(rules);
        rules = lab.cut({ClusterLab::node(static_cast<std::uint32_t>(dice(3))),
                         ClusterLab::node(static_cast<std::uint32_t>(3 + dice(3)))});
    }
    lab.run_until(lab.now() + ms(500 + static_cast<std::int64_t>(dice(6000))));
    if (lab.serving().size() > 1) {
      const auto before = lab.serving();
      lab.run_until(lab.now() + seconds(5));
      out.two_serve |= lab.serving() == before;
    }
  }
  lab.heal(rules);
  for (NodeId k = 1; k <= 6; ++k) {
    if (!lab.world.nodes.alive(k)) lab.world.faults.restart(k);
  }
  lab.run_until(lab.now() + seconds(40));
  out.agree = lab.serving().size() == 1;
  for (std::uint32_t i = 1; i < 6; ++i)
    out.agree &= lab.buses[i]->node().stored().owners == lab.buses[0]->node().stored().owners;
  for (const TraceRecord& r : lab.world.trace.journal()) out.roles += r.kind == trace::redis_role && r.a == 1;
  return out;
}

TEST(ClusterServer, AfterAnyMishapsThereIsOneOwner) {
  std::size_t promotions = 0;
  for (std::uint64_t seed = 1; seed <= testing::effort(12); ++seed) {
    const Ended e = disturb(seed, ClusterFlaw::none);
    EXPECT_TRUE(e.agree) << seed;
    EXPECT_FALSE(e.two_serve) << seed;
    promotions += e.roles;
  }
  EXPECT_GT(promotions, 5u) << "else nothing was tried";
}

TEST(ClusterServer, AMasterThatServesInTheMinorityIsCaught) {
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= 60 && runs == 0; ++seed) {
    if (disturb(seed, ClusterFlaw::serves_in_minority).two_serve) runs = seed;
  }
  fmt::print("serves in a minority: caught after {} runs\n", runs);
  EXPECT_GT(runs, 0u);
}

}  // namespace cluster_server_test
}  // namespace picklock
