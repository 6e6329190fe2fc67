#include "algorithms/curator/curator_client.hpp"

#include <gtest/gtest.h>

#include "algorithms/curator/curator_mutex.hpp"
#include "algorithms/zookeeper/test_zookeeper.hpp"

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

// A user of the client: by a mutex.
struct CuratorUser : ZooLockClient {
  CuratorUser(ZooLab& lab, std::string_view name, const SetOptions& set = plain())
      : ZooLockClient(lab, name, "curator-mutex", set) {}
  CuratorUser(ZooLockProcess& p, std::uint32_t thread, const SetOptions& set = plain())
      : ZooLockClient(p, "curator-mutex", set, thread) {}
  std::string node() const { return acquired->value().value; }
};

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

// RetryNTimes, RetryForever, BoundedExponentialBackoffRetry, while there is no server.
TEST(CuratorRetries, GoByTheirPolicy) {
  const auto given_up_after = [](CuratorRetry policy, std::int64_t retries, std::optional<Duration> most) {
    ZooLab lab;
    CuratorUser a(lab, "a", with([&](CuratorMutexOptions& o) {
      o.client.retry_policy = policy;
      o.client.retries = retries;
      o.client.retry_most = most;
    }));
    lab.run_until(seconds(1));
    lab.world.kill(lab.zk);
    a.acquire();
    for (Duration now = seconds(1); now < seconds(100); now += ms(100)) {
      lab.run_until(now);
      if (a.acquired) return now;
    }
    lab.world.restart(lab.zk);
    lab.run_until(seconds(130));
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
