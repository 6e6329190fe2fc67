// The lock of Redisson 1.2.0 in the lab: what it promises, and its races by their numbers.
#include "algorithms/redisson/redisson_1_2_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using enum testing::Fate;
using testing::LabClient;
using testing::LabProcess;
using testing::options_of;
using testing::RedisLockLab;

template <class Edit>
auto with(Edit edit) {
  return options_of<Redisson12Options>(edit);
}
auto lease(Duration d) {
  return with([d](Redisson12Options& o) { o.lease = d; });
}

struct Thread : LabClient {
  Thread(RedisLockLab& world, NodeId node, std::function<void(Options&)> edit = {})
      : LabClient(world.process(node), 1, "redisson-1-2-lock", edit) {}
  Thread(std::shared_ptr<LabProcess> process, std::uint32_t thread, std::function<void(Options&)> edit = {})
      : LabClient(std::move(process), thread, "redisson-1-2-lock", edit) {}
  void try_lock(Duration wait) { acquire(Patience::lasting(host(), wait)); }
};

// All that a test does at its beginning: a holds, `times` over.
void held_by(RedisLockLab& world, Thread& a, int times = 1) {
  for (int i = 0; i < times; ++i) {
    a.acquire();
    world.run_on(milliseconds(20));
    ASSERT_TRUE(a.holds());
  }
}
void at_once(RedisLockLab& world, Duration later, std::function<void()> event) {
  world.runtime.at(world.runtime.now + later.ns, std::move(event));
}

TEST(Redisson12, CountsAcquisitionsAndReleases) {
  RedisLockLab world;
  Thread a(world, 1);
  held_by(world, a, 3);
  for (const char* left : {":2\"", ":1\""}) {
    EXPECT_FALSE(world.value().ends_with(left));
    a.release(a.hold());
    world.run_on(milliseconds(20));
    EXPECT_TRUE(a.released->yes());
    EXPECT_TRUE(world.value().ends_with(left)) << world.value();
  }
  a.release(a.hold());
  world.run_on(milliseconds(20));
  EXPECT_EQ(world.value(), "nil");
  a.release(a.hold());
  world.run_on(milliseconds(20));
  EXPECT_TRUE(a.released->yes()) << "nothing there: silently done";
}

TEST(Redisson12, ThreadsOfOneProcessAreDifferentOwnersWithOneSubscription) {
  RedisLockLab world;
  const auto jvm = world.process(1);
  Thread a(jvm, 1), b(jvm, 2), c(jvm, 3);
  held_by(world, a);
  b.acquire();
  c.acquire();
  world.run_on(seconds(1));
  EXPECT_FALSE(b.holds() || c.holds());
  EXPECT_EQ(world.count("SUBSCRIBE"), 1);
  a.release(a.hold());
  world.run_on(milliseconds(100));
  EXPECT_EQ(b.holds() + c.holds(), 1);
  Thread& first = b.holds() ? b : c;
  first.release(first.hold());
  world.run_on(milliseconds(100));
  EXPECT_TRUE(b.holds() && c.holds());
}

TEST(Redisson12, TryLockGivesUpAfterItsWaitTimeAndSomeCommands) {
  RedisLockLab world;
  Thread a(world, 1), b(world, 2);
  held_by(world, a);
  const std::int64_t begun = world.runtime.now;
  b.try_lock(milliseconds(100));
  world.run_on(milliseconds(109));
  EXPECT_FALSE(b.acquired) << "only what the latch takes is counted";
  world.run_on(seconds(1));
  ASSERT_TRUE(b.acquired);
  EXPECT_EQ(b.acquired->why(), Why::refused);
  EXPECT_GT(world.runtime.now, begun);
}

TEST(Redisson12, AnOperatorEndsAnybodysHold) {
  RedisLockLab world;
  Thread a(world, 1), b(world, 2), admin(world, 3);
  held_by(world, a, 2);
  b.acquire();
  world.run_on(milliseconds(100));
  auto force = [](Host, Lock* lock) -> Task<void> { (void)co_await lock->force_release(); };
  admin.host().spawn("operator", force(admin.host(), admin.lock.get()));
  world.run_on(milliseconds(100));
  EXPECT_TRUE(b.holds()) << "woken by the message";
}

TEST(Redisson12Race1, AnUnlockDeletesTheLockOfAnother) {
  RedisLockLab world;
  Thread a(world, 1, lease(seconds(1)));
  held_by(world, a);
  at_once(world, milliseconds(4), [&] { world.server.ask("SET", "door", "other:1:1"); });  // GET was at 1 ms
  a.release(a.hold());
  world.run_on(milliseconds(50));
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(world.value(), "nil");
}

TEST(Redisson12Race2, ANestedUnlockOverwritesTheValueOfAnother) {
  RedisLockLab world;
  Thread a(world, 1, lease(seconds(1)));
  held_by(world, a, 2);
  at_once(world, milliseconds(2), [&] { world.server.ask("SET", "door", "other:1:1"); });
  a.release(a.hold());
  world.run_on(milliseconds(50));
  EXPECT_EQ(world.value(), '"' + a.hold().value + ":1\"");
  EXPECT_EQ(world.pttl(), -1);
}

TEST(Redisson12Race3, ANestedUnlockTakesTheExpiryAway) {
  RedisLockLab world;
  Thread a(world, 1, lease(seconds(1)));
  held_by(world, a, 2);
  EXPECT_GT(world.pttl(), 900) << "a nested lock with a lease renews it";
  a.release(a.hold());
  world.run_on(milliseconds(50));
  EXPECT_EQ(world.pttl(), -1);
}

TEST(Redisson12Race3, ANestedLockWithoutALeaseTakesTheExpiryAway) {
  RedisLockLab world;
  const auto jvm = world.process(1);
  Thread outer(jvm, 1, lease(seconds(1))), inner(jvm, 1);
  held_by(world, outer);
  EXPECT_GT(world.pttl(), 900);
  held_by(world, inner);
  EXPECT_EQ(world.pttl(), -1);
}

TEST(Redisson12Race4, AKeyThatExpiresBetweenSetnxAndPttlIsWaitedForForEver) {
  for (const std::int64_t expires_ms : {14, 12}) {
    RedisLockLab world;
    Thread b(world, 2);
    world.server.ask("SET", "door", "other:1:1");
    // The second SETNX comes at 13 ms, its PTTL at 21 ms.
    at_once(world, milliseconds(expires_ms), [&] { world.server.ask("DEL", "door"); });
    b.acquire();
    world.run(seconds(3600));
    EXPECT_EQ(b.holds(), expires_ms == 12);
  }
}

TEST(Redisson12Race5, ASetnxThatRunsAgainCountsTwo) {
  RedisLockLab world;
  Thread a(world, 1);
  world.server.next(1, {reply_lost});
  a.acquire();
  world.run(seconds(2));
  ASSERT_TRUE(a.holds());
  EXPECT_TRUE(world.value().ends_with(":2\"")) << world.value();
  a.release(a.hold());
  world.run_on(seconds(1));
  EXPECT_TRUE(a.released->yes());
  EXPECT_TRUE(world.value().ends_with(":1\"")) << "held by nobody, for ever";
}

TEST(Redisson12Race6, AnExecThatRunsAgainMayMeetAnotherOwner) {
  for (const bool another : {false, true}) {
    RedisLockLab world;
    Thread a(world, 1), b(world, 2);
    held_by(world, a);
    if (another) b.acquire();
    world.run_on(milliseconds(50));
    world.server.next(1, {answered, answered, answered, answered, reply_lost});
    a.release(a.hold());
    world.run_on(seconds(2));
    ASSERT_TRUE(a.released);
    EXPECT_EQ(b.holds(), another);
    EXPECT_EQ(a.released->why(), another ? Why::refused : Why::none);
  }
}

// The answer to SUBSCRIBE comes later than the 5 ms that are left of the wait.
TEST(Redisson12Race7, AFailedSubscriptionIsKept) {
  for (const bool leak : {true, false}) {
    RedisLockLab world;
    Thread b(world, 2, with([&](Redisson12Options& o) {
               o.subscribe_leak = leak;
               o.subscribe_wait = SubscribeWait::wait_time;
             }));
    world.server.ask("SET", "door", "other:1:1");
    world.server.next(2, {answered, answered, answered, answered, answered, slow});
    b.try_lock(milliseconds(15));
    world.run(milliseconds(16));
    ASSERT_TRUE(b.acquired);
    EXPECT_FALSE(b.holds());
    world.run(seconds(10));
    EXPECT_EQ(world.count("UNSUBSCRIBE"), leak ? 0 : 1);
    EXPECT_EQ(world.runtime.tasks(), leak ? 1U : 0U);
  }
}

TEST(Redisson12Race8, TheWaitForTheSubscriptionIsAThousandfold) {
  for (const SubscribeWait unit : {SubscribeWait::in_unit, SubscribeWait::wait_time}) {
    RedisLockLab world;
    Thread b(world, 2, with([&](Redisson12Options& o) { o.subscribe_wait = unit; }));
    world.server.ask("SET", "door", "other:1:1");
    std::deque<testing::Fate> fates(5, answered);
    fates.insert(fates.end(), 8, request_lost);  // SUBSCRIBE, again and again
    world.server.next(2, fates);
    b.try_lock(milliseconds(15));
    world.run(milliseconds(100));
    EXPECT_EQ(b.acquired.has_value(), unit == SubscribeWait::wait_time);
    world.run(seconds(2));
    EXPECT_TRUE(b.acquired);
  }
}

// The server of the lab is of 6.0.9 or later, where EXEC sees that the watched key has expired.
TEST(Redisson12Race9, AnExpiredLockIsNotCountedUp) {
  RedisLockLab world;
  Thread a(world, 1, lease(milliseconds(100)));
  a.acquire();
  world.run(milliseconds(91));  // GET at 96 ms finds it, EXEC at 102 ms comes too late
  a.acquire();
  world.run(milliseconds(150));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.count("EXEC"), 1);
  EXPECT_TRUE(world.value().ends_with(":1\"")) << "it began anew: " << world.value();
}

TEST(Redisson12Race11, AMessageThatIsLostWakesNobody) {
  RedisLockLab world;
  Thread a(world, 1), b(world, 2);
  held_by(world, a);
  b.acquire();
  world.run_on(milliseconds(100));
  world.server.ask("DEL", "door");  // the unlock message is lost
  world.run_on(seconds(3600));
  EXPECT_FALSE(b.holds());
}

TEST(Redisson12Race12, ASlowThreadPutsBackALatchThatNoMessageReaches) {
  using Equal = Redisson12Entries::Equal;
  for (const Equal equal : {Equal::by_count, Equal::by_object}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    const auto edit = with([&](Redisson12Options& o) { o.entries = equal; });
    Thread a(jvm, 1, edit), b(jvm, 2, edit), c(jvm, 3, edit), other(world, 2);
    held_by(world, other);
    c.acquire();  // the first entry, which counts one
    world.run_on(milliseconds(100));
    world.runtime.at_mark = [](NodeId node, MarkSide, Mark m) { return node != 1 || m != mark::yields; };
    a.acquire();  // it has read the entry
    world.run_on(milliseconds(100));
    world.runtime.at_mark = {};
    other.release(other.hold());
    world.run_on(milliseconds(100));
    ASSERT_TRUE(c.holds());
    c.release(c.hold());  // the entry goes …
    world.run_on(milliseconds(100));
    held_by(world, other);
    b.acquire();  // it comes again, and counts one
    world.run_on(milliseconds(100));
    world.runtime.go_on(1);
    world.run_on(milliseconds(100));
    other.release(other.hold());
    world.run_on(milliseconds(100));
    ASSERT_TRUE(b.holds()) << "it waits on the new latch";
    b.release(b.hold());
    world.run_on(seconds(3600));
    EXPECT_EQ(a.holds(), equal == Equal::by_object);
  }
}

}  // namespace
}  // namespace picklock
