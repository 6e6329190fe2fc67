#include "algorithms/curator/curator_client.hpp"

#include <gtest/gtest.h>

#include "algorithms/curator/curator_lab.hpp"

namespace picklock {
namespace {

using testing::CuratorLab;
using testing::ms;

// --- states: by what the holder of a mutex hears of them

CuratorLab::Edit reacts(CuratorReaction reaction) {
  return [=](CuratorMutexOptions& o) { o.client.reaction = reaction; };
}

// Timeline Z2 with T = 6 s: the server counts from the last word, the client from when it noticed.
TEST(CuratorStates, StoppingAtSuspendedIsInTimeAndAtLostIsNot) {
  for (const CuratorReaction reaction :
       {CuratorReaction::ignores, CuratorReaction::stops_at_suspended, CuratorReaction::stops_at_lost}) {
    CuratorLab lab;
    auto &a = lab.client("a", reacts(reaction)), &b = lab.client("b");
    lab.acquire(a, b);
    lab.pass(seconds(8));
    a.process.cut();
    Duration lost_at{}, granted_at{};
    while (lab.now() < seconds(40)) {
      lab.pass(ms(10));
      if (lost_at == Duration{} && a.lost()) lost_at = lab.now();
      if (granted_at == Duration{} && b.holds()) granted_at = lab.now();
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
  CuratorLab lab;
  auto &b = lab.client("b"), &a = lab.client("a", [](auto&o) {
    o.client.reaction = CuratorReaction::stops_at_lost;
    o.client.expiration_percent = 33;
  });
  lab.acquire(a, b);
  lab.pass(seconds(8));
  EXPECT_TRUE(a.holds() && !a.lost());
  a.process.cut();
  while (!a.lost() && lab.now() < seconds(40)) lab.pass(ms(10));
  EXPECT_TRUE(a.lost());
  EXPECT_FALSE(b.holds());
}

TEST(CuratorStates, TheTimerToLostTrustsTheWallClock) {
  for (const Duration step : {-seconds(60), Duration{}}) {
    CuratorLab lab;
    auto& a = lab.client("a", reacts(CuratorReaction::stops_at_lost));
    lab.acquire(a);
    lab.pass(seconds(9));
    a.process.cut();
    lab.pass(seconds(6));
    lab.world.faults.step_clock(a.node(), step);
    lab.pass(seconds(44));
    EXPECT_EQ(a.lost(), step == Duration{}) << step.ms();
  }
}

TEST(CuratorStates, AfterAReconnectionInTimeNothingWasLost) {
  CuratorLab lab;
  auto& a = lab.client("a", reacts(CuratorReaction::stops_at_lost));
  lab.acquire(a);
  auto& client = a.process.locals.get<CuratorClient>(a.host(), a.process.process.client, CuratorOptions{});
  EXPECT_EQ(client.state(), CuratorState::connected);
  lab.pass(seconds(9));
  lab.world.faults.kill(lab.zk);
  lab.pass(seconds(2));
  EXPECT_EQ(client.state(), CuratorState::suspended);
  lab.world.faults.restart(lab.zk);
  lab.pass(seconds(8));
  EXPECT_EQ(client.state(), CuratorState::reconnected);
  EXPECT_FALSE(a.lost());
  lab.release(a);
  EXPECT_EQ(lab.nodes(), 0U);
}

// --- creates

// Timeline Z3a: the create took effect, its answer was lost.
TEST(CuratorCreate, WhatWasCreatedWithoutAnAnswerIsFoundByItsUuid) {
  CuratorLab lab;
  auto& a = lab.client("a");
  lab.enter_and_leave(a);
  a.process.deafen();
  a.acquire();
  lab.pass(ms(100));
  ASSERT_EQ(lab.nodes(), 1U);
  lab.pass(ms(4100));
  a.process.repair();
  lab.pass(ms(18'800));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(lab.nodes(), 1U);
  EXPECT_EQ(a.token(), lab.find(a.hold().value)->czxid) << "read afterwards";
}

// CURATOR-498.  The session is given up while its node is still there: the next one must not adopt it.
TEST(CuratorCreate, ANodeOfAnOlderSessionIsNotAdopted) {
  for (const CuratorFoundNode whose : {CuratorFoundNode::own_session, CuratorFoundNode::any_session}) {
    CuratorLab lab;
    auto& a = lab.client("a", [&](auto& o) {
      o.client.found_node = whose;
      o.client.session = seconds(20);
      o.client.expiration_percent = 1;
    });
    lab.enter_and_leave(a);
    a.process.deafen();
    a.acquire();
    // Until it gives up the connection, and 200 ms later the session; the server keeps that for 20 s.
    lab.pass(seconds(14));
    ASSERT_EQ(lab.nodes(), 1U);
    const std::int64_t old_session = lab.find(lab.first())->owner;
    a.process.repair();
    lab.pass(seconds(5));
    ASSERT_TRUE(a.holds());
    const std::string node = a.hold().value;
    ASSERT_NE(lab.find(node), nullptr);
    EXPECT_EQ(lab.find(node)->owner == old_session, whose == CuratorFoundNode::any_session);
    lab.pass(seconds(24));
    EXPECT_EQ(lab.find(node) == nullptr, whose == CuratorFoundNode::any_session) << "it holds, and its node is gone";
  }
}

// CURATOR-45, CURATOR-79: the retries are exhausted before the answer comes.
TEST(CuratorCreate, WhatNobodyKnowsOfIsLookedForAndDeleted) {
  for (const bool cleaned : {true, false}) {
    CuratorLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.client.retries = 0, o.client.find_and_delete = cleaned; });
    lab.enter_and_leave(a);
    a.process.deafen();
    a.acquire();
    lab.pass(ms(4200));
    ASSERT_TRUE(a.acquired);
    EXPECT_TRUE(a.in_doubt());
    ASSERT_EQ(lab.nodes(), 1U);
    a.process.repair();
    lab.pass(ms(5800));
    EXPECT_EQ(lab.nodes(), cleaned ? 0U : 1U);
    a.acquire(seconds(5));
    lab.pass(seconds(13));
    EXPECT_EQ(a.holds(), cleaned) << "it waits behind its own orphan";
  }
}

// CURATOR-559: the first create is lost, the search finds nothing, the second takes effect and its answer is lost.
TEST(CuratorCreate, ASearchThatCameToItsEndEndsTheCreatesRetriesToo) {
  for (const CuratorRetryLoops loops : {CuratorRetryLoops::shared, CuratorRetryLoops::nested}) {
    CuratorLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.client.retry_loops = loops; });
    lab.enter_and_leave(a);
    lab.before(a, mark::zoo_create, [&] { a.process.cut(); });
    a.acquire();
    lab.pass(ms(4500));
    EXPECT_EQ(lab.nodes(), 0U);
    lab.before(a, mark::zoo_create, [&] { a.process.deafen(); });
    a.process.repair();
    while (lab.nodes() == 0 && lab.now() < seconds(60)) lab.pass(ms(100));
    ASSERT_EQ(lab.nodes(), 1U);
    lab.pass(ms(4500));
    a.process.repair();
    lab.pass(seconds(60));
    EXPECT_EQ(lab.nodes(), 1U) << "its session lives";
    const bool shared = loops == CuratorRetryLoops::shared;
    EXPECT_EQ(a.in_doubt(), shared) << "null, for which nobody looks";
    EXPECT_EQ(a.holds(), !shared);
  }
}

// RetryNTimes, RetryForever, BoundedExponentialBackoffRetry, while there is no server.
TEST(CuratorRetries, GoByTheirPolicy) {
  const auto given_up_after = [](CuratorRetry policy, std::int64_t retries, std::optional<Duration> most) {
    CuratorLab lab;
    auto& a = lab.client("a", [&](auto& o) {
      o.client.retry_policy = policy;
      o.client.retries = retries;
      o.client.retry_most = most;
    });
    lab.pass(seconds(1));
    lab.world.faults.kill(lab.zk);
    a.acquire();
    while (lab.now() < seconds(100)) {
      lab.pass(ms(100));
      if (a.acquired) return lab.now();
    }
    lab.world.faults.restart(lab.zk);
    lab.pass(seconds(30));
    EXPECT_TRUE(a.holds());
    return kForever;
  };
  const Duration at_once = given_up_after(CuratorRetry::n_times, 0, {});
  const Duration five_times = given_up_after(CuratorRetry::n_times, 4, {});
  EXPECT_GE(five_times, at_once + seconds(4));
  EXPECT_EQ(given_up_after(CuratorRetry::exponential, 4, seconds(1)), five_times) << "no pause is longer than a second";
  EXPECT_GT(given_up_after(CuratorRetry::exponential, 4, {}), five_times);
  EXPECT_EQ(given_up_after(CuratorRetry::forever, 0, {}), kForever);
}

}  // namespace
}  // namespace picklock
