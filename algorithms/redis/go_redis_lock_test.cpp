#include "algorithms/redis/go_redis_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::LabProcess;
using testing::options_of;
using testing::RedisLockLab;

template <class Edit>
auto with(Edit edit) {
  return options_of<GoRedisLockOptions>(edit);
}
void sound(GoRedisLockOptions& o) {
  o.poll_grant = GoPollGrant::renewed;
  o.renewal = GoRenewal::checked;
  o.closes = GoCloses::each_use;
  o.release_closes_pool = false;
  o.unlock_waits = true;
}

struct Goroutine : LabClient {
  Goroutine(RedisLockLab& world, NodeId node, std::function<void(Options&)> edit = {})
      : LabClient(world.process(node), 1, "go-redis-lock", edit) {}
  Goroutine(std::shared_ptr<LabProcess> process, std::uint32_t thread, std::function<void(Options&)> edit)
      : LabClient(std::move(process), thread, "go-redis-lock", edit) {}
};

TEST(GoRedisLock, RepairedItLocksRenewsWaitsAndReleases) {
  RedisLockLab world;
  Goroutine a(world, 1, with(sound)), b(world, 2, with(sound));
  a.acquire();
  b.acquire();
  world.run(seconds(5));
  ASSERT_NE(a.holds(), b.holds());
  Goroutine& first = a.holds() ? a : b;
  Goroutine& second = a.holds() ? b : a;
  EXPECT_GT(world.pttl(), 400);
  first.release(first.hold());
  world.run(milliseconds(5050));
  EXPECT_TRUE(first.released->yes());
  ASSERT_TRUE(second.holds());
  world.run(seconds(10));
  EXPECT_GT(world.pttl(), 400) << "the one that waited is renewed as well";
  second.release(second.hold());
  world.run(seconds(11));
  EXPECT_TRUE(second.released->yes());
  EXPECT_EQ(world.pttl(), -2);
  EXPECT_EQ(world.runtime.tasks(), 0U);
}

TEST(GoRedisLock, AsWrittenItNeverSeesThatItHolds) {
  RedisLockLab world;
  Goroutine a(world, 1, with([](GoRedisLockOptions& o) { o.success = GoSuccess::integer; }));
  a.acquire();
  world.run(milliseconds(500));
  const std::string mine = world.value();
  EXPECT_NE(mine, "nil");
  world.run(milliseconds(1100));
  EXPECT_EQ(world.value(), mine) << "taken again when it had expired";
  EXPECT_GT(world.pttl(), 800);
  world.run(seconds(60));
  EXPECT_FALSE(a.acquired);
}

TEST(GoRedisLock, AnErrorCountsAsHeldByAnother) {
  RedisLockLab world;
  Goroutine a(world, 1);
  world.server.next(1, {Fate::not_connected});
  a.acquire();
  world.run(milliseconds(9));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(20));
  EXPECT_TRUE(a.holds());
}

TEST(GoRedisLock, AnErrorThatIsReportedEndsLock) {
  for (const Fate fate : {Fate::not_connected, Fate::reply_lost}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([](GoRedisLockOptions& o) {
                  o.errors = GoErrors::reported;
                  o.io_timeout = milliseconds(100);
                }));
    world.server.next(1, {fate});
    a.acquire();
    world.run(milliseconds(200));
    ASSERT_TRUE(a.acquired);
    EXPECT_EQ(a.acquired->unknown(), fate == Fate::reply_lost);
    world.run(seconds(10));
    EXPECT_EQ(world.count("SET door"), fate == Fate::reply_lost ? 1 : 0) << "nobody polls on";
  }
}

// A renewal's answer never comes.  Without a deadline for reads the goroutine is lost, and with it UnLock.
TEST(GoRedisLock, AConnectionThatHangsStopsRenewalsAndUnlock) {
  for (const bool deadline : {false, true}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) {
                  sound(o);
                  if (deadline) o.io_timeout = milliseconds(100);
                }));
    a.acquire();
    world.run(milliseconds(400));
    world.server.next(1, {Fate::reply_lost});  // the renewal at 500 ms
    world.run(milliseconds(1700));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), deadline ? "1" : "0");
    a.release(a.hold());
    world.run(seconds(60));
    EXPECT_EQ(a.released.has_value(), deadline) << "UnLock waits for a reader that reads for ever";
  }
}

TEST(GoRedisLock, WhatWasTakenAfterAWaitIsNeitherRenewedNorReleased) {
  for (const GoPollGrant grant : {GoPollGrant::not_renewed, GoPollGrant::renewed}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) { o.poll_grant = grant; }));
    world.server.ask("SET", "door", "someone");
    a.acquire();
    world.run(milliseconds(50));
    world.server.ask("DEL", "door");
    world.run(milliseconds(900));
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(world.count("PEXPIRE"), grant == GoPollGrant::renewed ? 1 : 0);
    a.release(a.hold());
    world.run(milliseconds(950));
    EXPECT_EQ(a.released.has_value(), grant == GoPollGrant::renewed);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), grant == GoPollGrant::renewed ? "0" : "1");
    world.run(milliseconds(1200));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << "by its expiry at the latest";
  }
}

TEST(GoRedisLock, ARenewalThatLooksAtNoOwnerProlongsTheSuccessorsLock) {
  for (const GoRenewal renewal : {GoRenewal::unchecked, GoRenewal::checked}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) { o.renewal = renewal; }));
    a.acquire();
    world.run(milliseconds(300));
    world.server.ask("SET", "door", "another", "PX", 1000);
    world.run(milliseconds(510));
    EXPECT_EQ(world.pttl() > 900, renewal == GoRenewal::unchecked);
    const bool told = a.lock->lost() != nullptr && a.lock->lost()->is_set();
    EXPECT_EQ(told, renewal == GoRenewal::checked);
    world.run(seconds(100));
    EXPECT_EQ(world.pttl() > 0, renewal == GoRenewal::unchecked) << "a dead successor's key never dies";
  }
}

TEST(GoRedisLock, UnseededProcessesDrawTheSameValues) {
  for (const GoValues values : {GoValues::unseeded, GoValues::random}) {
    RedisLockLab world;
    const auto edit = with([&](GoRedisLockOptions& o) { o.values = values; });
    Goroutine a(world, 1, edit), b(world, 2, edit);
    a.acquire();
    world.run(milliseconds(100));
    world.server.ask("DEL", "door");  // the effect is that a's lease is over
    b.acquire();
    world.run(milliseconds(200));
    ASSERT_TRUE(b.holds());
    EXPECT_EQ(a.hold().value == b.hold().value, values == GoValues::unseeded);
    a.release(a.hold());
    world.run(milliseconds(250));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), values == GoValues::unseeded ? "0" : "1");
  }
}

TEST(GoRedisLock, OnAnUnbufferedChannelLockWaitsForItself) {
  RedisLockLab world;
  Goroutine a(world, 1, with([](GoRedisLockOptions& o) { o.get = GoGet::unbuffered; }));
  a.acquire();
  world.run(seconds(60));
  EXPECT_FALSE(a.acquired);
  EXPECT_GT(world.pttl(), 400) << "held and renewed";
}

// The waiter gives up after 50 ms, the lock comes free at 100 ms.
TEST(GoRedisLock, WhatAnAbandonedWaiterIsGrantedNobodyHolds) {
  for (const GoGet get : {GoGet::per_call, GoGet::unbuffered, GoGet::buffered}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) { o.get = get; }));
    world.server.ask("SET", "door", "someone");
    a.acquire_within(Patience::unlimited(a.host()), milliseconds(50));
    world.run(milliseconds(100));
    ASSERT_FALSE(a.holds());
    world.server.ask("DEL", "door");
    world.run(milliseconds(200));
    EXPECT_GT(world.pttl(), 800) << "granted, and nobody knows";
    world.run(milliseconds(1200));
    EXPECT_EQ(world.pttl(), -2) << "for one timeout";

    world.server.ask("SET", "door", "another");
    a.acquire();
    world.run(milliseconds(1400));
    EXPECT_EQ(a.holds(), get != GoGet::per_call) << "a true that was meant for the abandoned call";
    EXPECT_EQ(world.value(), "\"another\"");
  }
}

TEST(GoRedisLock, PatienceEndsInASelectBesideTheChannel) {
  RedisLockLab world;
  Goroutine a(world, 1);
  world.server.ask("SET", "door", "someone");
  a.acquire(Patience::lasting(a.host(), milliseconds(50)));
  world.run(milliseconds(60));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown()) << "the goroutine may take it yet";
}

TEST(GoRedisLock, ADeferInTheLoopKeepsEveryConnection) {
  for (const GoCloses closes : {GoCloses::at_return, GoCloses::each_use}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) {
                  o.closes = closes;
                  o.pool_size = 10;
                }));
    world.server.ask("SET", "door", "someone");
    a.acquire();
    world.run(milliseconds(500));
    EXPECT_EQ(world.count("SET door") > 12, closes == GoCloses::each_use);
    world.server.ask("DEL", "door");
    world.run(milliseconds(600));
    EXPECT_EQ(a.holds(), closes == GoCloses::each_use) << "the pool is exhausted";
  }
}

TEST(GoRedisLock, AReleaseClosesThePoolOfTheWholeProcess) {
  for (const bool closes : {true, false}) {
    RedisLockLab world;
    const auto process = world.process(1);
    const auto edit = with([&](GoRedisLockOptions& o) { o.release_closes_pool = closes; });
    Goroutine a(process, 1, edit), b(process, 2, edit);
    a.acquire();
    world.run(milliseconds(10));
    a.release(a.hold());
    world.run(milliseconds(50));
    b.acquire();
    world.run(seconds(10));
    EXPECT_EQ(b.holds(), !closes);
  }
}

TEST(GoRedisLock, UnlockReturnsBeforeTheKeyIsGone) {
  for (const bool waits : {false, true}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) {
                  o.unlock_waits = waits;
                  o.io_timeout = milliseconds(20);
                }));
    a.acquire();
    world.run(milliseconds(10));
    const Hold hold = a.hold();
    world.server.next(1, {Fate::request_lost});  // the DEL
    a.release(hold);
    world.run(milliseconds(50));
    ASSERT_TRUE(a.released);
    EXPECT_EQ(a.released->yes(), !waits) << "it does not know that the release has failed";
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "1");
    a.release(hold);
    world.run(seconds(60));
    EXPECT_FALSE(a.released) << "a second UnLock waits for ever";
  }
}

TEST(GoRedisLock, ASecondLockOfTheObjectForgetsTheFirstOnesValue) {
  for (const GoValueOf kept : {GoValueOf::object, GoValueOf::call}) {
    RedisLockLab world;
    Goroutine a(world, 1, with([&](GoRedisLockOptions& o) { o.value_of = kept; }));
    a.acquire();
    world.run(milliseconds(10));
    const Hold first = a.hold();
    a.acquire_within(Patience::unlimited(a.host()), milliseconds(5));
    world.run(milliseconds(30));
    a.release(first);
    world.run(milliseconds(60));
    EXPECT_EQ(world.value() == '"' + first.value + '"', kept == GoValueOf::object) << "nobody can delete it";
  }
}

TEST(GoRedisLock, AnAnswerThatStaysAwayShutsItsOwnCallerOut) {
  RedisLockLab world;
  Goroutine a(world, 1, with([](GoRedisLockOptions& o) { o.io_timeout = milliseconds(20); }));
  world.server.next(1, {Fate::reply_lost});
  a.acquire();
  world.run(milliseconds(990));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(1100));
  EXPECT_TRUE(a.holds()) << "one timeout later";
}

}  // namespace
}  // namespace picklock
