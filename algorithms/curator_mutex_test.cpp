#include "algorithms/curator_mutex.hpp"

#include <gtest/gtest.h>

#include "algorithms/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::children_of;
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

TEST(CuratorMutex, TimeIsTakenFromTheWallClock) {
  ZooLab lab;
  CuratorUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire(seconds(10));
  lab.at(seconds(2), [&](World& w) { w.step_clock(b.process.node(), -seconds(100)); });
  lab.run_until(seconds(30));
  EXPECT_FALSE(b.acquired) << "it believes that 100 s more are left";
  lab.run_until(seconds(130));
  EXPECT_TRUE(b.acquired && b.acquired->refused());
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

// Timeline Z2 with T = 6 s: the server counts from the last word, the client from when it noticed.
TEST(CuratorStates, StoppingAtSuspendedIsInTimeAndAtLostIsNot) {
  for (const CuratorReaction reaction : {CuratorReaction::ignores, CuratorReaction::stops_at_suspended,
                                         CuratorReaction::stops_at_lost}) {
    ZooLab lab;
    CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) { o.client.reaction = reaction; })), b(lab, "b");
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.at(seconds(10), [&](World&) { a.process.cut(); });
    Duration lost_at{}, granted_at{};
    for (Duration now = seconds(10); now < seconds(40); now += ms(10)) {
      lab.run_until(now);
      if (lost_at == Duration{} && a.lost()) lost_at = now;
      if (granted_at == Duration{} && b.holds()) granted_at = now;
    }
    ASSERT_GT(granted_at, Duration{});
    if (reaction == CuratorReaction::ignores) {
      EXPECT_EQ(a.lock->lost(), nullptr);
      continue;
    }
    ASSERT_GT(lost_at, Duration{});
    const bool in_time = lost_at <= granted_at;
    EXPECT_EQ(in_time, reaction == CuratorReaction::stops_at_suspended);
    if (in_time) {
      EXPECT_GE((granted_at - lost_at).ms(), 1990) << "T/3 to T/3 and a tick";
      EXPECT_LE((granted_at - lost_at).ms(), 4020);
    } else {
      EXPECT_GE((lost_at - granted_at).ms(), 1980) << "2T/3 + T - (T .. T + tick)";
      EXPECT_LE((lost_at - granted_at).ms(), 4020);
    }
  }
}

TEST(CuratorStates, AThirdOfTheTimeoutToLostIsInTime) {
  ZooLab lab;
  CuratorUser a(lab, "a", with([](CuratorMutexOptions& o) {
    o.client.reaction = CuratorReaction::stops_at_lost;
    o.client.expiration_percent = 33;
  }));
  CuratorUser b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire();
  lab.run_until(seconds(10));
  a.process.cut();
  while (!a.lost() && lab.now() < seconds(40)) lab.run_until(lab.now() + ms(10));
  EXPECT_TRUE(a.lost());
  EXPECT_FALSE(b.holds());
}

TEST(CuratorStates, TheTimerToLostTrustsTheWallClock) {
  for (const Duration step : {-seconds(60), Duration{}}) {
    ZooLab lab;
    CuratorUser a(lab, "a", with([](CuratorMutexOptions& o) { o.client.reaction = CuratorReaction::stops_at_lost; }));
    a.acquire();
    lab.run_until(seconds(10));
    a.process.cut();
    lab.at(seconds(16), [&](World& w) { w.step_clock(a.process.node(), step); });
    lab.run_until(seconds(60));
    EXPECT_EQ(a.lost(), step == Duration{}) << step.ms();
  }
}

TEST(CuratorStates, AfterAReconnectionInTimeNothingWasLost) {
  ZooLab lab;
  CuratorUser a(lab, "a", with([](CuratorMutexOptions& o) { o.client.reaction = CuratorReaction::stops_at_lost; }));
  a.acquire();
  lab.run_until(seconds(10));
  lab.world.kill(lab.zk);
  lab.run_until(seconds(12));
  auto& client = a.process.locals.get<CuratorClient>(a.host(), a.process.process.client, CuratorOptions{});
  EXPECT_EQ(client.state(), CuratorState::suspended);
  lab.world.restart(lab.zk);
  lab.run_until(seconds(20));
  EXPECT_EQ(client.state(), CuratorState::reconnected);
  EXPECT_FALSE(a.lost());
  a.release();
  lab.run_until(seconds(21));
  EXPECT_EQ(count_of(lab, "/door"), 0U);
}

// Timeline Z3a: the create took effect, its answer was lost.
TEST(CuratorCreate, WhatWasCreatedWithoutAnAnswerIsFoundByItsUuid) {
  ZooLab lab;
  CuratorUser a(lab, "a");
  a.acquire();
  lab.run_until(seconds(1));
  a.release();
  lab.run_until(seconds(2));
  a.process.deafen();
  a.acquire();
  lab.run_until(seconds(2) + ms(100));
  ASSERT_EQ(count_of(lab, "/door"), 1U);
  lab.run_until(seconds(6) + ms(200));
  a.process.mend();
  lab.run_until(seconds(25));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
  EXPECT_EQ(*a.acquired->value().token, lab.server.tree.find(a.node())->czxid) << "read afterwards";
}

// CURATOR-498.  The session is given up while its node is still there: the next one must not adopt it.
TEST(CuratorCreate, ANodeOfAnOlderSessionIsNotAdopted) {
  for (const CuratorFoundNode whose : {CuratorFoundNode::own_session, CuratorFoundNode::any_session}) {
    ZooLab lab;
    CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) {
      o.client.found_node = whose;
      o.client.session = seconds(20);
      o.client.expiration_percent = 1;
    }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.process.deafen();
    a.acquire();
    // Until it gives up the connection, and 200 ms later the session; the server keeps that for 20 s.
    lab.run_until(seconds(16));
    ASSERT_EQ(count_of(lab, "/door"), 1U);
    const std::string orphan = "/door/" + children_of(lab, "/door")[0];
    const std::int64_t old_session = lab.server.tree.find(orphan)->owner;
    a.process.mend();
    lab.run_until(seconds(21));
    ASSERT_TRUE(a.holds());
    const auto* const node = lab.server.tree.find(a.node());
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->owner == old_session, whose == CuratorFoundNode::any_session);
    lab.run_until(seconds(45));
    EXPECT_EQ(lab.server.tree.find(a.node()) == nullptr, whose == CuratorFoundNode::any_session)
        << "it holds, and its node is gone";
  }
}

// CURATOR-45, CURATOR-79: the retries are exhausted before the answer comes.
TEST(CuratorCreate, WhatNobodyKnowsOfIsLookedForAndDeleted) {
  for (const bool cleaned : {true, false}) {
    ZooLab lab;
    CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) {
      o.client.retries = 0;
      o.client.find_and_delete = cleaned;
    }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.process.deafen();
    a.acquire();
    lab.run_until(seconds(6) + ms(200));
    ASSERT_TRUE(a.acquired);
    EXPECT_TRUE(a.acquired->unknown());
    ASSERT_EQ(count_of(lab, "/door"), 1U);
    a.process.mend();
    lab.run_until(seconds(12));
    EXPECT_EQ(count_of(lab, "/door"), cleaned ? 0U : 1U);
    a.acquire(seconds(5));
    lab.run_until(seconds(25));
    EXPECT_EQ(a.holds(), cleaned) << "it waits behind its own orphan";
  }
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

}  // namespace
}  // namespace picklock
