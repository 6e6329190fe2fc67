// The client library against three servers: what a session outlives, and what it does not.
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "sim/core/world_lab.hpp"
#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/server.hpp"

namespace picklock {
namespace {

using testing::ms;

struct EnsembleOfThree : testing::Lab {
  struct Process final : Program {
    ZooClient client;
    std::vector<NodeId> servers;
    NodeId node = 0;
    void boot(World& world, NodeId n) override {
      node = n;
      client.boot(world, n, servers);
    }
  };
  ZooJudge judge;
  std::array<ZooServer, 3> servers;
  std::vector<NodeId> nodes;
  std::deque<Process> processes;
  std::vector<std::string> heard;  // events that the one client heard
  std::vector<Duration> when;
  std::optional<ZooOutcome<ZooCreated>> created;
  ZooKeeper zk;
  NodeId client = 0;

  explicit EnsembleOfThree(std::uint64_t seed) : Lab(seed) {
    for (const char* name : {"zk1", "zk2", "zk3"}) nodes.push_back(world.nodes.add(name));
    for (std::size_t i = 0; i < 3; ++i) {
      servers[i].set_up({.options = {}, .servers = nodes, .observers = {}, .judge = &judge});
      world.install(nodes[i], servers[i]);
    }
    Process& p = processes.emplace_back();
    p.servers = nodes;
    client = world.nodes.add("a");
    world.install(client, p);
    const ZooWatcher watcher(world.host(client));
    zk = p.client.connect(seconds(6), watcher);
    world.tasks.start(client, "listen", listen(this, world.host(client), watcher));
  }
  ~EnsembleOfThree() { world.reset(0); }  // its tasks go before what they refer to
  static Task<void> listen(EnsembleOfThree* lab, Host, ZooWatcher watcher) {
    for (;;) {
      const ZooEvent event = co_await watcher.next();
      lab->heard.emplace_back(to_string(event.state));
      lab->when.push_back(Duration{lab->world.now().ns});
    }
  }
  void create() { world.tasks.start(client, "create", run_create(this, world.host(client))); }
  static Task<void> run_create(EnsembleOfThree* lab, Host) {
    auto made = co_await lab->zk.create("/n-", "", ZooMode::ephemeral_sequential);
    lab->created = std::move(made);
  }
  std::size_t leader() const {
    for (std::size_t i = 0; i < 3; ++i) {
      if (world.nodes.alive(nodes[i]) && servers[i].leads()) return i;
    }
    return 3;
  }
  bool there(std::size_t server) const { return servers[server].tree().find("/n-0000000000") != nullptr; }
};
using Texts = std::vector<std::string>;

TEST(ZooKeeperClientOfAnEnsemble, ASessionOutlivesItsLeader) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EnsembleOfThree lab(seed);
    lab.run_until(seconds(5));
    lab.create();
    lab.run_until(seconds(10));
    ASSERT_TRUE(lab.created && lab.created->yes()) << seed;
    const std::int64_t session = lab.zk.session();
    const std::size_t leader = lab.leader();
    ASSERT_LT(leader, 3U);
    lab.world.faults.kill(lab.nodes[leader]);
    lab.run_until(seconds(20));
    ASSERT_TRUE(lab.zk.connected()) << seed;
    EXPECT_EQ(lab.zk.session(), session);
    EXPECT_EQ(lab.heard.back(), "connected");
    EXPECT_EQ(std::count(lab.heard.begin(), lab.heard.end(), "expired"), 0) << seed;
    EXPECT_TRUE(lab.there((leader + 1) % 3) && lab.there((leader + 2) % 3)) << seed;
    EXPECT_TRUE(lab.judge.content()) << lab.judge.complaints().front();
  }
}

// Timeline Z1: the pause outlasts the session.  T to T + tick and a commit after the last touch, which is
// up to T/3 and the way through a follower older than the pause.
TEST(ZooKeeperClientOfAnEnsemble, APauseThatOutlastsTheSessionEndsIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EnsembleOfThree lab(seed);
    lab.run_until(seconds(5));
    lab.create();
    lab.run_until(seconds(10));
    ASSERT_TRUE(lab.there(0));
    lab.pause(lab.client, seconds(10) + ms(1), seconds(12));
    Duration gone{};
    for (Duration t = seconds(10); gone == Duration{} && t < seconds(22); t = t + ms(10)) {
      lab.run_until(t);
      if (!lab.there(lab.leader())) gone = t;
    }
    EXPECT_GE(gone, seconds(14)) << seed;
    EXPECT_LE(gone, seconds(19) + ms(50)) << seed;
    lab.run_until(seconds(27));
    ASSERT_GE(lab.heard.size(), 2U);
    EXPECT_EQ(lab.heard.back(), "expired") << seed;
    EXPECT_LE(lab.when.back(), seconds(25)) << "the server's end of the connection, a second at most, an answer";
    EXPECT_TRUE(lab.judge.content()) << lab.judge.complaints().front();
  }
}

// Timeline Z6: a leader that is cut off from its followers leads on until it misses them, 9 to 12 s; so do
// they.  All send their clients away.  A session survives unless its client asks the old leader once more
// after that has begun to end it, which it cannot finish: it says Expired, and no other server will know.
TEST(ZooKeeperClientOfAnEnsemble, AnIsolatedLeaderSendsItsClientsAway) {
  int survived = 0, expired = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EnsembleOfThree lab(seed);
    lab.run_until(seconds(5));
    lab.create();
    lab.run_until(seconds(10));
    const std::size_t leader = lab.leader();
    const NodeId l = lab.nodes[leader], f1 = lab.nodes[(leader + 1) % 3], f2 = lab.nodes[(leader + 2) % 3];
    lab.rule({l}, {f1, f2}, Fate::drop);
    lab.rule({f1, f2}, {l}, Fate::drop);
    lab.run_until(seconds(24));
    ASSERT_LT(lab.leader(), 3U);
    EXPECT_FALSE(lab.servers[leader].leads());
    const bool dead = lab.heard.back() == "expired";
    ++(dead ? expired : survived);
    EXPECT_TRUE(lab.there(lab.leader())) << "the new leader gives every session its full timeout, seed " << seed;
    lab.run_until(seconds(40));
    EXPECT_EQ(lab.there(lab.leader()), !dead) << seed;
    EXPECT_EQ(lab.zk.connected(), !dead) << seed;
    EXPECT_TRUE(lab.judge.content()) << lab.judge.complaints().front();
  }
  EXPECT_GT(survived, 0);
  EXPECT_GT(expired, 0);
}

}  // namespace
}  // namespace picklock
