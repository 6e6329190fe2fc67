// Whole servers: elections by the clock, what survives on the disk, observers, containers, expiry by the leader.

#include "sim/zookeeper/server.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "sim/core/world_lab.hpp"
#include "sim/zookeeper/client.hpp"

namespace picklock {
namespace {

using testing::ms;

struct Ensemble : testing::Lab {
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
  std::deque<ZooServer> servers;
  std::vector<NodeId> nodes;
  std::deque<Process> processes;
  std::deque<std::string> answers;

  explicit Ensemble(const ZooServerOptions& options, std::size_t voters = 3, std::size_t observers = 0,
                    std::uint64_t seed = 1)
      : Lab(seed) {
    ZooServerSetup setup;
    setup.options = options;
    setup.judge = &judge;
    for (std::size_t i = 0; i < voters + observers; ++i) {
      nodes.push_back(world.nodes.add("zk" + std::to_string(i + 1)));
      (i < voters ? setup.servers : setup.observers).push_back(nodes.back());
    }
    for (const NodeId n : nodes) {
      servers.emplace_back().set_up(setup);
      world.install(n, servers.back());
    }
  }
  ~Ensemble() { world.reset(0); }

  // A session at these servers.
  ZooKeeper connect(const std::vector<NodeId>& at, Duration timeout) {
    Process& p = processes.emplace_back();
    p.servers = at;
    world.install(world.nodes.add("c" + std::to_string(processes.size())), p);
    return p.client.connect(timeout, {});
  }
  // Answers appear as "ok" or a code.
  const std::string& create(ZooKeeper zk, std::string path, ZooMode mode) {
    std::string& answer = answers.emplace_back();
    world.tasks.start(zk.host().node(), "create", run_create(zk, std::move(path), mode, &answer));
    return answer;
  }
  const std::string& remove(ZooKeeper zk, std::string path) {
    std::string& answer = answers.emplace_back();
    world.tasks.start(zk.host().node(), "remove", run_remove(zk, std::move(path), &answer));
    return answer;
  }
  static Task<void> run_create(ZooKeeper zk, std::string path, ZooMode mode, std::string* answer) {
    const auto made = co_await zk.create(std::move(path), "", mode);
    *answer = made.yes() ? "ok" : std::string(to_string(made.code()));
  }
  static Task<void> run_remove(ZooKeeper zk, std::string path, std::string* answer) {
    const auto gone = co_await zk.remove(std::move(path));
    *answer = gone.yes() ? "ok" : std::string(to_string(gone.code()));
  }

  std::size_t leader() const {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      if (world.nodes.alive(nodes[i]) && servers[i].leads()) return i;
    }
    return servers.size();
  }
  std::vector<NodeId> without(std::size_t one) const {
    std::vector<NodeId> all = nodes;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(one));
    return all;
  }
  bool has(std::size_t server, std::string_view path) const { return servers[server].tree().find(path) != nullptr; }
  // Time until another server than `old` leads, looking each millisecond.
  Duration until_another_leads(std::size_t old) {
    const Duration begin{world.now().ns};
    for (Duration t = begin; t < begin + seconds(60); t += ms(1)) {
      run_until(t);
      for (std::size_t i = 0; i < servers.size(); ++i) {
        if (i != old && world.nodes.alive(nodes[i]) && servers[i].leads()) return t - begin;
      }
    }
    return seconds(60);
  }
};

// Measured on real servers of 3.8.0 with a tick of 200 ms and less: 0.28 to 0.58 s.
TEST(ZooServers, ReplaceALeaderThatIsKilled) {
  Duration shortest = seconds(60), longest{};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Ensemble e({.tick = ms(200)}, 3, 0, seed);
    e.run_until(seconds(3) + ms(static_cast<std::int64_t>(seed) * 7));
    const std::size_t old = e.leader();
    ASSERT_LT(old, 3u);
    e.world.faults.kill(e.nodes[old]);
    const Duration took = e.until_another_leads(old);
    shortest = std::min(shortest, took), longest = std::max(longest, took);
    EXPECT_TRUE(e.judge.content());
  }
  RecordProperty("shortest_ms", static_cast<int>(shortest.ms()));
  RecordProperty("longest_ms", static_cast<int>(longest.ms()));
  EXPECT_GE(shortest, ms(200)) << "finalize wait";
  EXPECT_LE(longest, ms(580));
}

// Measured with a tick of 100 ms: 0.74 to 1.04 s, most of it the followers' read timeout.
TEST(ZooServers, ReplaceALeaderThatIsCutOff) {
  Duration shortest = seconds(60), longest{};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Ensemble e({.tick = ms(100)}, 3, 0, seed);
    e.run_until(seconds(3) + ms(static_cast<std::int64_t>(seed) * 7));
    const std::size_t old = e.leader();
    ASSERT_LT(old, 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == old) continue;
      e.rule({e.nodes[old]}, {e.nodes[i]}, Fate::drop);
      e.rule({e.nodes[i]}, {e.nodes[old]}, Fate::drop);
    }
    const Duration took = e.until_another_leads(old);
    shortest = std::min(shortest, took), longest = std::max(longest, took);
    e.run_until(Duration{e.world.now().ns} + seconds(2));
    EXPECT_FALSE(e.servers[old].serves()) << "without a quorum it steps down";
    EXPECT_TRUE(e.judge.content());
  }
  RecordProperty("shortest_ms", static_cast<int>(shortest.ms()));
  RecordProperty("longest_ms", static_cast<int>(longest.ms()));
  EXPECT_GE(shortest, ms(600));
  EXPECT_LE(longest, ms(1100));
}

TEST(ZooServers, KeepWhatTheyHaveAcknowledged) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Ensemble e({}, 3, 0, seed);
    e.run_until(seconds(3));
    const ZooKeeper zk = e.connect(e.nodes, seconds(20));
    const std::string& created = e.create(zk, "/kept", ZooMode::persistent);
    for (Duration t = seconds(3); created.empty() && t < seconds(10); t += ms(1)) e.run_until(t);
    ASSERT_EQ(created, "ok");
    for (const NodeId n : e.nodes) e.world.faults.lose_power(n);  // right after the answer
    e.run_until(Duration{e.world.now().ns} + seconds(1));
    for (const NodeId n : e.nodes) e.world.faults.restart(n);
    e.run_until(Duration{e.world.now().ns} + seconds(10));
    ASSERT_LT(e.leader(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(e.has(i, "/kept")) << i;
    EXPECT_TRUE(e.judge.content()) << e.judge.complaints()[0];
  }
}

TEST(ZooServers, ObserversServeAndDoNotVote) {
  Ensemble e({}, 3, 2);
  e.run_until(seconds(3));
  const ZooKeeper zk = e.connect({e.nodes[3]}, seconds(20));
  const std::string& created = e.create(zk, "/o", ZooMode::persistent);
  e.run_until(seconds(5));
  EXPECT_EQ(created, "ok");
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(e.has(i, "/o")) << i;
  EXPECT_LT(e.leader(), 3u);
  // Two voters of three are gone: with the observers three servers are left, and no quorum.
  e.world.faults.kill(e.nodes[(e.leader() + 1) % 3]);
  e.run_until(seconds(6));
  e.world.faults.kill(e.nodes[e.leader()]);
  e.run_until(seconds(40));
  EXPECT_EQ(e.leader(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_FALSE(e.world.nodes.alive(e.nodes[i]) && e.servers[i].serves()) << i;
}

// T to T + tick after the leader has heard of it; heard of through a follower that is up to half a tick later.
TEST(ZooServers, ASessionEndsWithinATickOfItsTimeout) {
  std::set<std::int64_t> ends;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Ensemble e({}, 3, 0, seed);
    e.run_until(seconds(3));
    const std::size_t at = (e.leader() + seed % 2) % 3;
    const ZooKeeper zk = e.connect({e.nodes[at]}, seconds(6));
    const std::string& created = e.create(zk, "/mine", ZooMode::ephemeral);
    e.run_until(seconds(4) + ms(static_cast<std::int64_t>(seed) * 137));
    ASSERT_EQ(created, "ok");
    const Duration died{e.world.now().ns};
    e.world.faults.kill(zk.host().node());
    Duration t = died;
    for (; e.has(e.leader(), "/mine") && t < died + seconds(20); t += ms(5)) e.run_until(t);
    // The client's last ping was up to T/3 before its death.
    EXPECT_GE(t - died, seconds(4)) << seed;
    EXPECT_LE(t - died, seconds(9) + ms(50)) << seed;
    ends.insert((t - died).ms() / 500);
    EXPECT_TRUE(e.judge.content()) << e.judge.complaints()[0];
  }
  EXPECT_GT(ends.size(), 3u);
}

// Timeline Z5: the holder is dead; its leader dies before the session ends; the next one counts from the beginning.
TEST(ZooServers, ANewLeaderGivesEverySessionItsFullTimeout) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Ensemble e({}, 3, 0, seed);
    e.run_until(seconds(3));
    const std::size_t old = e.leader();
    const ZooKeeper zk = e.connect({e.nodes[(old + 1) % 3]}, seconds(6));
    const std::string& created = e.create(zk, "/mine", ZooMode::ephemeral);
    e.run_until(seconds(5));
    ASSERT_EQ(created, "ok");
    e.world.faults.kill(zk.host().node());
    e.run_until(seconds(9));
    ASSERT_TRUE(e.has(old, "/mine"));
    e.world.faults.kill(e.nodes[old]);
    const Duration elected = seconds(9) + e.until_another_leads(old);
    Duration t = elected;
    for (; e.has(e.leader(), "/mine") && t < seconds(60); t += ms(5)) e.run_until(t);
    EXPECT_GE(t - elected, seconds(6)) << seed;
    EXPECT_LE(t - elected, seconds(8) + ms(50)) << seed;
    EXPECT_TRUE(e.judge.content()) << e.judge.complaints()[0];
  }
}

TEST(ZooServers, AnEmptyContainerGoesWithinAMinute) {
  Ensemble e({});
  e.run_until(seconds(2));
  const ZooKeeper zk = e.connect(e.nodes, seconds(20));
  const std::string& container = e.create(zk, "/lock", ZooMode::container);
  e.run_until(seconds(3));
  const std::string& child = e.create(zk, "/lock/n", ZooMode::ephemeral);
  e.run_until(seconds(4));
  EXPECT_EQ(container, "ok");
  EXPECT_EQ(child, "ok");
  e.run_until(seconds(130));
  EXPECT_TRUE(e.has(e.leader(), "/lock")) << "it has a child";
  (void)e.remove(zk, "/lock/n");
  e.run_until(seconds(131));
  EXPECT_TRUE(e.has(e.leader(), "/lock"));
  e.run_until(seconds(195));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(e.has(i, "/lock")) << i;
  EXPECT_TRUE(e.judge.content());
}

// An ensemble serves while a minority is down.
TEST(ZooServers, AFollowerMayDieAndComeBack) {
  Ensemble e({}, 5);
  e.run_until(seconds(3));
  const std::size_t down = (e.leader() + 1) % 5, down_too = (e.leader() + 2) % 5;
  e.world.faults.kill(e.nodes[down]);
  e.world.faults.lose_power(e.nodes[down_too]);
  e.run_until(seconds(8));
  const ZooKeeper zk = e.connect({e.nodes[(down_too + 1) % 5]}, seconds(10));
  const std::string& created = e.create(zk, "/while-away", ZooMode::persistent);
  e.run_until(seconds(12));
  EXPECT_EQ(created, "ok");
  e.world.faults.restart(e.nodes[down]);
  e.world.faults.restart(e.nodes[down_too]);
  e.run_until(seconds(20));
  EXPECT_TRUE(e.has(down, "/while-away"));
  EXPECT_TRUE(e.has(down_too, "/while-away"));
  EXPECT_EQ(e.judge.zab().epochs(), 1u) << "no other leader was needed";
}

}  // namespace
}  // namespace picklock
