#include "algorithms/curator/curator_mutex.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::count_of;
using testing::ms;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;

template <class Edit>
auto with(Edit edit) {
  return zoo_options<CuratorMutexOptions>([edit](CuratorMutexOptions& o) {
    o.client.session = seconds(6);
    o.client.connection = seconds(5);
    edit(o);
  });
}
auto plain() {
  return with([](CuratorMutexOptions&) {});
}

struct CuratorUser : ZooLockClient {
  CuratorUser(ZooLab& lab, std::string_view name, const SetOptions& set = plain())
      : ZooLockClient(lab, name, "curator-mutex", set) {}
  CuratorUser(ZooLockProcess& p, std::uint32_t thread, const SetOptions& set = plain())
      : ZooLockClient(p, "curator-mutex", set, thread) {}
  std::string node() const { return acquired->value().value; }
};

TEST(CuratorMutex, GrantsInTheOrderOfTheCreatesWithTokensThatGrow) {
  ZooLab lab;
  CuratorUser a(lab, "a"), b(lab, "b"), c(lab, "c");
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  b.acquire();
  lab.run_until(seconds(2));
  c.acquire();
  lab.run_until(seconds(3));
  EXPECT_FALSE(b.holds());
  EXPECT_FALSE(c.holds());
  EXPECT_EQ(count_of(lab, "/door"), 3U);
  EXPECT_TRUE(lab.server.tree.find("/door")->container);
  a.release();
  lab.run_until(seconds(4));
  ASSERT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_FALSE(c.holds());
  b.release();
  lab.run_until(seconds(5));
  ASSERT_TRUE(c.holds());
  EXPECT_LT(*a.acquired->value().token, *b.acquired->value().token);
  EXPECT_LT(*b.acquired->value().token, *c.acquired->value().token);
  EXPECT_EQ(*c.acquired->value().token, lab.server.tree.find(c.node())->czxid);
  c.release();
  lab.run_until(seconds(6));
  EXPECT_EQ(count_of(lab, "/door"), 0U);
}

TEST(CuratorMutex, TheHolderEntersAgainWithoutARequestAndLeavesAsOften) {
  ZooLab lab;
  CuratorUser a(lab, "a");
  a.acquire();
  lab.run_until(seconds(1));
  const std::size_t writes = lab.server.log.size();
  a.acquire();
  lab.run_until(seconds(1) + ms(1));
  ASSERT_TRUE(a.holds());
  a.release();
  lab.run_until(seconds(2));
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(lab.server.log.size(), writes);
  EXPECT_EQ(count_of(lab, "/door"), 1U);
  a.release(Hold());
  lab.run_until(seconds(3));
  EXPECT_EQ(count_of(lab, "/door"), 0U);
  a.release(Hold());
  lab.run_until(seconds(4));
  EXPECT_TRUE(a.released->refused()) << "IllegalMonitorState";
}

TEST(CuratorMutex, ThreadsOfAProcessShareASessionAndNotAHold) {
  ZooLab lab;
  ZooLockProcess process(lab, "p");
  CuratorUser a(process, 1), b(process, 2);
  a.acquire();
  b.acquire();
  lab.run_until(seconds(1));
  EXPECT_NE(a.holds(), b.holds());
  EXPECT_EQ(lab.server.tree.sessions().size(), 1U);
}

TEST(CuratorMutex, PatienceThatEndsDeletesTheNode) {
  ZooLab lab;
  CuratorUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire(seconds(3));
  lab.run_until(seconds(3));
  EXPECT_EQ(count_of(lab, "/door"), 2U);
  lab.run_until(seconds(5));
  ASSERT_TRUE(b.acquired);
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
  b.acquire(Patience::one_attempt(b.host()));
  lab.run_until(seconds(6));
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
}

TEST(CuratorMutex, AWallClockSetBackMakesAPatienceLonger) {
  for (const CuratorClock clock : {CuratorClock::wall, CuratorClock::monotonic}) {
    ZooLab lab;
    CuratorUser a(lab, "a"), b(lab, "b", with([&](CuratorMutexOptions& o) { o.client.clock = clock; }));
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire(seconds(10));
    lab.at(seconds(2), [&](World& w) { w.step_clock(b.process.node(), -seconds(100)); });
    lab.run_until(seconds(30));
    EXPECT_EQ(b.acquired.has_value(), clock == CuratorClock::monotonic) << "or 100 s more are left";
    lab.run_until(seconds(130));
    EXPECT_TRUE(b.acquired && b.acquired->refused());
  }
}

TEST(CuratorMutex, AWallClockSetAheadEndsAPatienceWithTheNextEvent) {
  for (const CuratorClock clock : {CuratorClock::wall, CuratorClock::monotonic}) {
    ZooLab lab;
    CuratorUser a(lab, "a"), between(lab, "between");
    CuratorUser b(lab, "b", with([&](CuratorMutexOptions& o) { o.client.clock = clock; }));
    a.acquire();
    lab.run_until(seconds(1));
    between.acquire();
    lab.run_until(seconds(2));
    b.acquire(seconds(100));
    lab.at(seconds(3), [&](World& w) { w.step_clock(b.process.node(), seconds(200)); });
    lab.at(seconds(4), [&](World& w) { w.kill(between.process.node()); });
    lab.run_until(seconds(40));
    EXPECT_EQ(b.acquired.has_value(), clock == CuratorClock::wall) << "the node before its own is gone, a's is not";
    lab.run_until(seconds(110));
    EXPECT_TRUE(b.acquired && b.acquired->refused());
  }
}

TEST(CuratorMutex, AnAbandonedAcquireStaysInTheQueue) {
  ZooLab lab;
  CuratorUser a(lab, "a"), b(lab, "b"), c(lab, "c");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire_and_abandon(seconds(1));
  lab.run_until(seconds(3));
  a.release();
  c.acquire();
  lab.run_until(seconds(60));
  EXPECT_FALSE(c.holds()) << "b's node is first, and its session lives";
  lab.world.kill(b.process.node());
  lab.run_until(seconds(70));
  EXPECT_TRUE(c.holds());
}

// CURATOR-604: the old session's node is listed when the new session looks, and is first.
TEST(CuratorMutex, ANewSessionHoldsByTheDyingSessionsNodeUnlessItChecks) {
  for (const CuratorSessionCheck check : {CuratorSessionCheck::never, CuratorSessionCheck::before_grant}) {
    ZooLab lab;
    CuratorUser b(lab, "b");
    CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) {
      o.session_check = check;
      o.client.session = seconds(20);
      o.client.expiration_percent = 1;
      o.client.reaction = CuratorReaction::stops_at_lost;
    }));
    b.acquire();
    lab.run_until(seconds(1));
    a.acquire();
    lab.run_until(seconds(2));
    ASSERT_EQ(count_of(lab, "/door"), 2U);
    a.process.cut();
    b.release();
    lab.run_until(seconds(16) + ms(500));
    a.process.mend();
    lab.run_until(seconds(19));
    CuratorUser c(lab, "c");
    c.acquire();
    lab.run_until(seconds(23));
    ASSERT_TRUE(a.holds());
    const auto* const node = lab.server.tree.find(a.node());
    ASSERT_NE(node, nullptr);
    lab.run_until(seconds(60));
    const bool both = a.holds() && c.holds() && !a.lost();
    EXPECT_EQ(both, check == CuratorSessionCheck::never);
    EXPECT_EQ(lab.server.tree.find(a.node()) == nullptr, check == CuratorSessionCheck::never);
  }
}

// CURATOR-486, CURATOR-678.
TEST(CuratorMutex, AReleaseThatFailedIsForgottenAndTheNextAcquireWaitsBehindItsOwnNode) {
  for (const bool background : {true, false}) {
    ZooLab lab;
    CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) {
      o.client.retries = 0;
      o.client.background_deletes = background;
    }));
    a.acquire();
    lab.run_until(seconds(1));
    lab.world.kill(lab.zk);
    lab.run_until(seconds(2));
    a.release();
    lab.run_until(seconds(8));
    ASSERT_TRUE(a.released);
    EXPECT_FALSE(a.released->yes());
    lab.world.restart(lab.zk);
    lab.run_until(seconds(8) + ms(10));
    a.acquire(seconds(5));
    lab.run_until(seconds(14));
    EXPECT_EQ(a.holds(), background) << "until the background has deleted it, or else the session is over";
  }
}

TEST(CuratorMutex, AReleaseMayGoOnUntilTheNodeIsGone) {
  ZooLab lab;
  CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) {
    o.client.retries = 0;
    o.client.background_deletes = false;
    o.release = CuratorRelease::until_deleted;
  }));
  a.acquire();
  lab.run_until(seconds(1));
  lab.world.kill(lab.zk);
  lab.run_until(seconds(2));
  a.release();
  lab.run_until(seconds(8));
  EXPECT_FALSE(a.released);
  lab.world.restart(lab.zk);
  lab.run_until(seconds(20));
  ASSERT_TRUE(a.released && a.released->yes());
  EXPECT_EQ(count_of(lab, "/door"), 0U);
}

TEST(CuratorMutex, TheNodeOfAWaiterThatExpiredIsMadeAnew) {
  ZooLab lab;
  CuratorUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire();
  lab.run_until(seconds(2));
  lab.pause(b.process.node(), seconds(2), seconds(20));
  lab.run_until(seconds(21));
  EXPECT_EQ(count_of(lab, "/door"), 1U);
  lab.run_until(seconds(35));
  EXPECT_EQ(count_of(lab, "/door"), 2U) << "queued again, by its new session";
  a.release();
  lab.run_until(seconds(36));
  EXPECT_TRUE(b.holds());
}

TEST(CuratorMutex, AHolderIsAskedToStop) {
  for (const bool revocable : {true, false}) {
    ZooLab lab;
    const auto set = with([&](CuratorMutexOptions& o) { o.revocable = revocable; });
    CuratorUser a(lab, "a", set), b(lab, "b", set);
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    b.force();
    lab.run_until(seconds(2));
    ASSERT_TRUE(b.forced);
    EXPECT_EQ(b.forced->unknown(), revocable);
    EXPECT_EQ(a.lost(), revocable);
    EXPECT_FALSE(b.holds()) << "it is only asked";
    EXPECT_FALSE(b.lost());
  }
}

// Who is asked to stop before he reads his token has a larger mzxid than who comes after him.
TEST(CuratorMutex, ARevocationMovesTheMzxid) {
  for (const CuratorToken token : {CuratorToken::czxid, CuratorToken::mzxid}) {
    ZooLab lab;
    const auto set = with([&](CuratorMutexOptions& o) { o.token = token; });
    CuratorUser x(lab, "x", set), a(lab, "a", set), b(lab, "b", set);
    std::int64_t at = 1;
    for (CuratorUser* const user : {&x, &a, &b}) {
      user->acquire();
      lab.run_until(seconds(at++));
    }
    for (const std::string& name : children_of(lab, "/door")) {
      if (name.ends_with("0000000001")) lab.execute(ZooKeeper::set_data_part("/door/" + name, "__REVOKE__"));
    }
    std::vector<std::int64_t> tokens;
    for (CuratorUser* const user : {&x, &a, &b}) {
      ASSERT_TRUE(user->holds());
      tokens.push_back(*user->acquired->value().token);
      user->release();
      lab.run_until(seconds(at++));
    }
    EXPECT_LT(tokens[0], tokens[1]);
    EXPECT_EQ(tokens[1] < tokens[2], token == CuratorToken::czxid);
  }
}

}  // namespace
}  // namespace picklock
