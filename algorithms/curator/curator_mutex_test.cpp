#include "algorithms/curator/curator_mutex.hpp"

#include <gtest/gtest.h>

#include "algorithms/curator/curator_lab.hpp"

namespace picklock {
namespace {

using testing::CuratorLab;
using testing::ms;

TEST(CuratorMutex, ItsDirectoryIsAContainerAndItsTokenTheCzxidOfItsNode) {
  CuratorLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a, b);
  EXPECT_TRUE(lab.find("/door")->container);
  EXPECT_EQ(lab.nodes(), 2U);
  EXPECT_EQ(a.token(), lab.find(a.hold().value)->czxid);
  lab.release(a);
  EXPECT_EQ(b.token(), lab.find(b.hold().value)->czxid);
  EXPECT_EQ(lab.nodes(), 1U);
}

// --- holds

TEST(CuratorMutex, TheHolderEntersAgainWithoutARequestAndLeavesAsOften) {
  CuratorLab lab;
  auto& a = lab.client("a");
  lab.acquire(a);
  const std::size_t writes = lab.server.log.size();
  a.acquire();
  lab.pass(ms(1));
  ASSERT_TRUE(a.holds());
  lab.release(a);
  EXPECT_TRUE(a.gave_back());
  EXPECT_EQ(lab.server.log.size(), writes);
  EXPECT_EQ(lab.nodes(), 1U);
  lab.release(a);
  EXPECT_EQ(lab.nodes(), 0U);
  lab.release(a);
  EXPECT_TRUE(a.released->refused()) << "IllegalMonitorState";
}

TEST(CuratorMutex, AHolderIsAskedToStop) {
  for (const bool revocable : {true, false}) {
    CuratorLab lab;
    const auto with = [&](auto& o) { o.revocable = revocable; };
    auto &a = lab.client("a", with), &b = lab.client("b", with);
    lab.acquire(a);
    EXPECT_FALSE(a.lost());
    b.force();
    lab.acquire(b);
    ASSERT_TRUE(b.forced);
    EXPECT_EQ(b.forced->unknown(), revocable);
    EXPECT_EQ(a.lost(), revocable);
    EXPECT_FALSE(b.holds()) << "it is only asked";
    for (const std::string& name : lab.names()) lab.execute(ZooKeeper::set_data_part("/door/" + name, "__REVOKE__"));
    lab.pass(seconds(1));
    EXPECT_FALSE(b.lost()) << "who waits has nothing to give back";
  }
}

// CURATOR-604: the old session's node is listed when the new session looks, and is first.
TEST(CuratorMutex, ANewSessionHoldsByTheDyingSessionsNodeUnlessItChecks) {
  for (const CuratorSessionCheck check : {CuratorSessionCheck::never, CuratorSessionCheck::before_grant}) {
    CuratorLab lab;
    auto &b = lab.client("b"), &c = lab.client("c"), &a = lab.client("a", [&](auto&o) {
      o.session_check = check;
      o.client.session = seconds(20);
      o.client.expiration_percent = 1;
      o.client.reaction = CuratorReaction::stops_at_lost;
    });
    lab.acquire(b, a);
    ASSERT_EQ(lab.nodes(), 2U);
    b.release();
    lab.cut(a, ms(14'500));
    lab.pass(ms(2500));
    c.acquire();
    lab.pass(seconds(4));
    ASSERT_TRUE(a.holds());
    EXPECT_NE(lab.find(a.hold().value), nullptr);
    lab.pass(seconds(37));
    const bool both = a.holds() && c.holds() && !a.lost();
    EXPECT_EQ(both, check == CuratorSessionCheck::never);
    EXPECT_EQ(lab.find(a.hold().value) == nullptr, check == CuratorSessionCheck::never);
  }
}

// --- waits

TEST(CuratorMutex, AWallClockSetBackMakesAPatienceLonger) {
  for (const CuratorClock clock : {CuratorClock::wall, CuratorClock::monotonic}) {
    CuratorLab lab;
    auto &a = lab.client("a"), &b = lab.client("b", [&](auto&o) { o.client.clock = clock; });
    lab.acquire(a);
    b.acquire(seconds(10));
    lab.pass(seconds(1));
    lab.world.faults.step_clock(b.node(), -seconds(100));
    lab.pass(seconds(28));
    EXPECT_EQ(b.acquired.has_value(), clock == CuratorClock::monotonic) << "or 100 s more are left";
    lab.pass(seconds(100));
    EXPECT_TRUE(b.refused());
  }
}

TEST(CuratorMutex, AWallClockSetAheadEndsAPatienceWithTheNextEvent) {
  for (const CuratorClock clock : {CuratorClock::wall, CuratorClock::monotonic}) {
    CuratorLab lab;
    auto &a = lab.client("a"), &between = lab.client("between");
    auto& b = lab.client("b", [&](auto& o) { o.client.clock = clock; });
    lab.acquire(a, between);
    b.acquire(seconds(100));
    lab.pass(seconds(1));
    lab.world.faults.step_clock(b.node(), seconds(200));
    lab.pass(seconds(1));
    EXPECT_FALSE(b.acquired);
    lab.kill(between);
    lab.pass(seconds(36));
    EXPECT_EQ(b.acquired.has_value(), clock == CuratorClock::wall) << "the node before its own is gone, a's is not";
    lab.pass(seconds(70));
    EXPECT_TRUE(b.refused());
  }
}

TEST(CuratorMutex, AnAbandonedAcquireStaysInTheQueue) {
  CuratorLab lab;
  auto &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
  lab.acquire(a);
  b.acquire_and_abandon(seconds(1));
  lab.pass(seconds(2));
  a.release();
  c.acquire();
  lab.pass(seconds(57));
  EXPECT_TRUE(a.gave_back());
  EXPECT_FALSE(c.holds()) << "b's node is first, and its session lives";
  lab.kill(b);
  lab.pass(seconds(10));
  EXPECT_TRUE(c.holds());
}

// --- releases while there is no server

// CURATOR-486, CURATOR-678.
TEST(CuratorMutex, AReleaseThatFailedIsForgottenAndTheNextAcquireWaitsBehindItsOwnNode) {
  for (const bool background : {true, false}) {
    CuratorLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.client.retries = 0, o.client.background_deletes = background; });
    lab.acquire(a);
    lab.world.faults.kill(lab.zk);
    lab.pass(seconds(1));
    a.release();
    lab.pass(seconds(6));
    ASSERT_TRUE(a.released);
    EXPECT_FALSE(a.gave_back());
    lab.world.faults.restart(lab.zk);
    lab.pass(ms(10));
    a.acquire(seconds(5));
    lab.pass(ms(5990));
    EXPECT_EQ(a.holds(), background) << "until the background has deleted it, or else the session is over";
  }
}

TEST(CuratorMutex, AReleaseMayGoOnUntilTheNodeIsGone) {
  CuratorLab lab;
  auto& a = lab.client("a", [](auto& o) {
    o.client.retries = 0;
    o.client.background_deletes = false;
    o.release = CuratorRelease::until_deleted;
  });
  lab.acquire(a);
  lab.world.faults.kill(lab.zk);
  lab.pass(seconds(1));
  a.release();
  lab.pass(seconds(6));
  EXPECT_FALSE(a.released);
  EXPECT_EQ(lab.nodes(), 1U);
  lab.world.faults.restart(lab.zk);
  lab.pass(seconds(12));
  ASSERT_TRUE(a.gave_back());
  EXPECT_EQ(lab.nodes(), 0U);
}

}  // namespace
}  // namespace picklock
