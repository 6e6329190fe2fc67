#include "sim/zookeeper/client.hpp"

#include <gtest/gtest.h>

#include "sim/zookeeper/zookeeper_lab.hpp"

namespace picklock {
namespace {

using testing::ms;
using testing::ZooLab;

// One handle and what its watcher hears, with the times.
struct Client {
  Client(ZooLab& l, std::string_view name, Duration timeout = seconds(6), ZooClientOptions options = {})
      : lab(l), process(l.process(name, std::move(options))), watcher(l.host(process)) {
    zk = process.client.connect(timeout, watcher);
    host().spawn("listen", listen(this, host()));
  }
  Host host() { return lab.host(process); }
  static Task<void> listen(Client* self, Host) {
    for (;;) {
      const ZooEvent event = co_await self->watcher.next();
      const std::string what = event.type == ZooEventType::none ? std::string(to_string(event.state))
                                                                : std::string(to_string(event.type)) + ' ' + event.path;
      self->heard.push_back(what);
      self->when.push_back(self->lab.now());
    }
  }
  void create(std::string path, ZooMode mode) { host().spawn("create", run_create(this, host(), path, mode)); }
  static Task<void> run_create(Client* self, Host, std::string path, ZooMode mode) {
    const auto made = co_await self->zk.create(path, "", mode);
    self->outcomes.push_back(std::string(to_string(made.code())) + (made.unknown() ? "?" : ""));
    self->outcome_at = self->lab.now();
  }
  void exists(std::string path) { host().spawn("exists", run_exists(this, host(), path)); }
  static Task<void> run_exists(Client* self, Host, std::string path) {
    const auto found = co_await self->zk.exists(path, self->watcher);
    self->outcomes.push_back(std::string(to_string(found.code())));
  }
  void close() { host().spawn("close", run_close(this, host())); }
  static Task<void> run_close(Client* self, Host) {
    const auto closed = co_await self->zk.close();
    self->outcomes.push_back(std::string(to_string(closed.code())));
  }

  ZooLab& lab;
  ZooLab::Process& process;
  ZooWatcher watcher;
  ZooKeeper zk;
  std::vector<std::string> heard, outcomes;
  std::vector<Duration> when;
  Duration outcome_at{};
};
using Texts = std::vector<std::string>;

TEST(ZooKeeperClient, WhatIsAskedBeforeItIsConnectedWaits) {
  ZooLab lab;
  Client a(lab, "a");
  a.create("/x", ZooMode::ephemeral);
  lab.run_until(seconds(1));
  EXPECT_EQ(a.heard, Texts{"connected"});
  EXPECT_EQ(a.outcomes, Texts{"OK"});
  EXPECT_EQ(a.zk.timeout(), seconds(6));
  EXPECT_EQ(lab.server.tree.find("/x")->owner, a.zk.session());
  EXPECT_NE(a.zk.session(), 0);
}

TEST(ZooKeeperClient, TheServerBoundsTheTimeout) {
  ZooLab lab;
  Client a(lab, "a", seconds(1)), b(lab, "b", seconds(60));
  lab.run_until(seconds(1));
  EXPECT_EQ(a.zk.timeout(), seconds(4)) << "2 ticks";
  EXPECT_EQ(b.zk.timeout(), seconds(40)) << "20 ticks: Curator's 60 s";
}

TEST(ZooKeeperClient, AnIdleOneSendsAPingEveryThirdOfItsTimeout) {
  ZooLab lab;
  Client a(lab, "a");
  lab.run_until(seconds(601));
  EXPECT_EQ(lab.server.requests["ping"], 300);
  EXPECT_EQ(a.heard, Texts{"connected"});
  EXPECT_TRUE(lab.server.tree.find_session(a.zk.session()) != nullptr);
}

// Timeline: the client alone cannot tell a dead server from a dead link.
TEST(ZooKeeperClient, SilenceOfTwoThirdsDisconnectsAndOnlyAServerExpires) {
  ZooLab lab;
  Client a(lab, "a");
  a.create("/n", ZooMode::ephemeral);
  lab.run_until(seconds(10));
  const auto rule = lab.rule({a.process.node}, {lab.zk}, Fate::drop);
  const auto rule_back = lab.rule({lab.zk}, {a.process.node}, Fate::drop);
  lab.run_until(seconds(30));
  ASSERT_GE(a.heard.size(), 2U);
  EXPECT_EQ(a.heard[1], "disconnected");
  // Its last ping was answered within 2 s before the cut.
  EXPECT_GE(a.when[1], seconds(12));
  EXPECT_LE(a.when[1], seconds(14) + ms(103));
  EXPECT_EQ(lab.server.tree.find("/n"), nullptr) << "expired at the server";
  EXPECT_EQ(std::count(a.heard.begin(), a.heard.end(), "expired"), 0);
  lab.world.network.uninstall(rule);
  lab.world.network.uninstall(rule_back);
  lab.run_until(seconds(40));
  EXPECT_EQ(a.heard.back(), "expired");
  EXPECT_EQ(a.zk.state(), ZooState::expired);
}

TEST(ZooKeeperClient, WithExpiryByItselfItNeedsNoServerForThat) {
  ZooLab lab;
  Client a(lab, "a", seconds(6), {.expiry = ZooExpiry::by_itself});
  lab.run_until(seconds(10));
  lab.rule({a.process.node}, {lab.zk}, Fate::drop);
  lab.rule({lab.zk}, {a.process.node}, Fate::drop);
  lab.run_until(seconds(40));
  ASSERT_EQ(a.heard.back(), "expired");
  EXPECT_GE(a.when.back(), seconds(16)) << "8 s after the last word from a server";
  EXPECT_LE(a.when.back(), seconds(21));
}

// The list has one server, so its turn comes round at once: after a second, and then up to another.
TEST(ZooKeeperClient, AfterAPauseItLearnsOfItsExpiry) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ZooLab lab(seed, 100);
    Client a(lab, "a", seconds(1));
    a.create("/n", ZooMode::ephemeral);
    lab.pause(a.process.node, seconds(5), seconds(5));
    lab.run_until(seconds(5) + ms(580));
    EXPECT_NE(lab.server.tree.find("/n"), nullptr) << "its last ping is no older than 333 ms";
    lab.run_until(seconds(6) + ms(102));
    EXPECT_EQ(lab.server.tree.find("/n"), nullptr);
    lab.run_until(seconds(13));
    ASSERT_EQ(a.heard, (Texts{"connected", "disconnected", "expired"})) << seed;
    EXPECT_EQ(a.when[1], seconds(10) + ms(100)) << "once its socket is cleaned up";
    EXPECT_GE(a.when[2], seconds(11));
    EXPECT_LE(a.when[2], seconds(12) + ms(110));
  }
}

TEST(ZooKeeperClient, TheSessionOutlivesItsConnectionAndWatchesComeAlong) {
  ZooLab lab;
  Client a(lab, "a");
  a.create("/gone", ZooMode::persistent);
  a.create("/kept", ZooMode::persistent);
  lab.run_until(seconds(1));
  for (const char* path : {"/gone", "/kept", "/absent", "/flash"}) a.exists(path);
  lab.run_until(seconds(2));
  const std::int64_t session = a.zk.session();
  a.heard.clear();
  lab.at(seconds(3), [&](World& w) { w.faults.kill(lab.zk); });
  lab.at(seconds(4), [&](World& w) {
    w.faults.restart(lab.zk);
    lab.execute(ZooKeeper::remove_part("/gone"));
    lab.execute(ZooKeeper::create_part("/absent"));
    lab.execute(ZooKeeper::create_part("/flash"));
    lab.execute(ZooKeeper::remove_part("/flash"));
  });
  lab.run_until(seconds(12));
  EXPECT_EQ(a.zk.session(), session);
  Texts tail(a.heard.end() - 3, a.heard.end());
  EXPECT_EQ(tail, (Texts{"connected", "deleted /gone", "created /absent"})) << "and no watcher saw /flash";
  lab.execute(ZooKeeper::set_data_part("/kept", "x"));
  lab.run_until(seconds(13));
  EXPECT_EQ(a.heard.back(), "data-changed /kept") << "a watch that was armed again";
}

TEST(ZooKeeperClient, WhatIsUnderWayWhenAConnectionEndsIsUnknown) {
  ZooLab lab;
  Client a(lab, "a");
  lab.run_until(seconds(1));
  const auto rule = lab.rule({lab.zk}, {a.process.node}, Fate::drop);
  a.create("/n", ZooMode::persistent);
  lab.run_until(seconds(2));
  EXPECT_NE(lab.server.tree.find("/n"), nullptr);
  lab.run_until(seconds(6));
  EXPECT_EQ(a.outcomes, Texts{"ConnectionLoss?"});
  lab.world.network.uninstall(rule);
}

TEST(ZooKeeperClient, WhatNeverLeftIsRefused) {
  ZooLab lab;
  lab.world.faults.kill(lab.zk);
  Client a(lab, "a");
  a.create("/n", ZooMode::persistent);
  lab.run_until(seconds(3));
  EXPECT_EQ(a.outcomes, Texts{"ConnectionLoss"}) << "refused, not unknown";
}

TEST(ZooKeeperClient, AClosedSessionIsGoneAtOnceAndSoIsTheHandle) {
  ZooLab lab;
  Client a(lab, "a");
  a.create("/n", ZooMode::ephemeral);
  lab.run_until(seconds(1));
  a.close();
  lab.run_until(seconds(1) + ms(5));
  EXPECT_EQ(lab.server.tree.find("/n"), nullptr);
  EXPECT_EQ(a.zk.state(), ZooState::closed);
  EXPECT_EQ(a.heard.back(), "closed");
  a.create("/m", ZooMode::ephemeral);
  lab.run_until(seconds(2));
  EXPECT_EQ(a.outcomes.back(), "SessionExpired");
}

TEST(ZooKeeperClient, GoZookeeperGoesOnWithANewSession) {
  ZooLab lab;
  Client a(lab, "a", seconds(6), go_zookeeper_options());
  lab.run_until(seconds(1));
  const std::int64_t session = a.zk.session();
  lab.pause(a.process.node, seconds(2), seconds(20));
  lab.run_until(seconds(30));
  EXPECT_EQ(a.heard, (Texts{"connected", "disconnected", "expired", "connected"}));
  EXPECT_NE(a.zk.session(), session);
}

// One of the servers is dead: attempts go round, a second longer between two rounds.
TEST(ZooKeeperClient, ItTriesOneServerAfterTheOther) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ZooLab lab(seed);
    const NodeId dead = lab.world.nodes.add("dead");
    auto& process = lab.process("a");
    process.client.boot(lab.world, process.node, {dead, lab.zk});
    const ZooKeeper zk = process.client.connect(seconds(6), {});
    lab.run_until(seconds(5));
    EXPECT_TRUE(zk.connected()) << seed;
  }
}

TEST(ZooKeeperClient, AKilledProcessLeavesItsSessionBehind) {
  ZooLab lab;
  auto& process = lab.process("a");
  std::vector<std::int64_t> sessions;
  process.tasks.push_back([&](ZooLab::Process& p, World& w) {
    struct Run {
      static Task<void> go(Host, ZooKeeper zk, std::vector<std::int64_t>* seen) {
        const auto made = co_await zk.create("/n-", "", ZooMode::ephemeral_sequential);
        if (made.yes()) seen->push_back(zk.session());
      }
    };
    const ZooKeeper zk = p.client.connect(seconds(6), {});
    w.tasks.start(p.node, "main", Run::go(w.host(p.node), zk, &sessions));
  });
  lab.at(seconds(1), [&](World& w) { w.faults.restart(process.node); });
  lab.at(seconds(0), [&](World& w) { w.faults.kill(process.node); });
  lab.at(seconds(3), [&](World& w) { w.faults.kill(process.node); });
  lab.at(seconds(4), [&](World& w) { w.faults.restart(process.node); });
  lab.run_until(seconds(5));
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_NE(sessions[0], sessions[1]);
  EXPECT_NE(lab.server.tree.find("/n-0000000000"), nullptr) << "not yet expired";
  lab.run_until(seconds(12));
  EXPECT_EQ(lab.server.tree.find("/n-0000000000"), nullptr);
  EXPECT_NE(lab.server.tree.find("/n-0000000001"), nullptr);
}

TEST(ZooKeeperClient, ARunIsTheSameTwice) {
  std::uint64_t digests[2];
  for (std::uint64_t& digest : digests) {
    ZooLab lab(7);
    Client a(lab, "a"), b(lab, "b");
    a.create("/n", ZooMode::ephemeral);
    b.exists("/n");
    lab.pause(a.process.node, seconds(5), seconds(9));
    lab.run_until(seconds(40));
    digest = lab.world.trace.digest();
  }
  EXPECT_EQ(digests[0], digests[1]);
}

}  // namespace
}  // namespace picklock
