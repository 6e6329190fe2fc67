// Redisson's lock in the lab: what it promises, and how its watchdog renews.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_lock.hpp"

namespace picklock {
namespace redisson_lock_test {

using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

template <class Edit>
auto plain(Edit edit) {
  return options_of<RedissonOptions>(edit);
}

TEST(RedissonLock, CountsAcquisitionsAndReleases) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock");
  a.acquire();
  world.run(milliseconds(10));
  const Hold hold = a.hold();
  a.acquire();
  world.run(milliseconds(20));
  EXPECT_EQ(world.server.ask("HGET", "door", hold.value), "\"2\"");
  for (const char* left : {"\"1\"", "nil"}) {
    a.release(hold);
    world.run_on(milliseconds(10));
    EXPECT_TRUE(a.released->yes());
    EXPECT_EQ(world.server.ask("HGET", "door", hold.value), left);
  }
  a.release(hold);
  world.run(milliseconds(60));
  EXPECT_EQ(a.released->why(), Why::refused) << "not locked by the current thread";
}

TEST(RedissonLock, AMessageWakesTheWaiterLongBeforeTheLeaseIsOver) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-lock");
  a.acquire();
  world.run(milliseconds(10));
  b.acquire();
  world.run(seconds(2));
  ASSERT_FALSE(b.holds());
  EXPECT_EQ(world.count("EVAL redisson-acquire"), 3) << "b asked, subscribed, asked, and waits";
  a.release(a.hold());
  world.run(seconds(2) + milliseconds(10));
  EXPECT_TRUE(b.holds());
}

TEST(RedissonLock, TheThreadsOfAProcessShareOneSubscription) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock");
  const auto jvm = world.process(2);
  LabClient b(jvm, 1, "redisson-lock"), c(jvm, 2, "redisson-lock");
  a.acquire();
  world.run(milliseconds(10));
  b.acquire();
  c.acquire();
  world.run(milliseconds(100));
  EXPECT_EQ(world.count("SUBSCRIBE"), 1);
  a.release(a.hold());
  world.run(milliseconds(200));
  EXPECT_EQ(b.holds() + c.holds(), 1) << "one message, one permit";
  LabClient& first = b.holds() ? b : c;
  first.release(first.hold());
  world.run(milliseconds(300));
  EXPECT_TRUE(b.holds() && c.holds());
  EXPECT_EQ(world.count("UNSUBSCRIBE"), 1) << "when the last one has gone";
}

TEST(RedissonLock, TryLockGivesUpAfterItsWaitTime) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-lock");
  a.acquire();
  world.run(milliseconds(10));
  b.acquire(Patience::lasting(b.host(), milliseconds(50)));
  world.run(milliseconds(59));
  EXPECT_FALSE(b.acquired);
  world.run(milliseconds(61));
  ASSERT_TRUE(b.acquired);
  EXPECT_EQ(b.acquired->why(), Why::refused);
}

TEST(RedissonLock, AStepOfTheWallClockEndsTheWaitTime) {  // System.currentTimeMillis
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-lock");
  a.acquire();
  world.run(milliseconds(10));
  world.runtime.at(milliseconds(12).ns, [&] { world.runtime.wall_offset[2] = seconds(60).ns; });
  b.acquire(Patience::lasting(b.host(), seconds(30)));
  world.run(milliseconds(30));
  EXPECT_TRUE(b.acquired) << "after 20 ms of 30 s";
}

TEST(RedissonWatchdog, BothVersionsRenewEveryThirdOfALease) {
  for (const std::string_view kind : {"redisson-lock", "redisson-lock-3-16"}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, kind);
    a.acquire();
    world.run(milliseconds(9999));
    EXPECT_LT(world.pttl(), 20'100);
    world.run(milliseconds(10'010));
    EXPECT_GT(world.pttl(), 29'900) << kind;
    EXPECT_GT(*a.lock->deadline(a.hold()), *a.hold().deadline) << kind;
    world.run(seconds(100));
    EXPECT_GT(world.pttl(), 19'000) << kind;
    a.release(a.hold());
    world.run(seconds(200));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
    EXPECT_EQ(world.runtime.tasks(), 0U) << kind;
  }
}

TEST(RedissonWatchdog, ALeaseTimeIsNeverRenewed) {
  RedisLockLab world;
  const auto leased = plain([](RedissonOptions& o) { o.renewal = RedissonRenewal::none; });
  LabClient a(world.process(1), 1, "redisson-lock", leased);
  a.acquire();
  world.run(seconds(31));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(RedissonWatchdog, TheChainRenewsAChunkAfterTheOther) {
  for (const std::int64_t batch : {1, 2}) {
    RedisLockLab world;
    const auto process = world.process(1);
    RedissonOptions o;
    o.renewal_batch = batch;
    std::vector<std::unique_ptr<RedissonLock>> locks;
    for (const std::string_view name : {"x", "y", "z"}) {
      locks.push_back(std::make_unique<RedissonLock>(process->context(1), name, 0, o));
      auto& watchdog = locks.back()->client().watchdog();
      world.server.ask("HSET", name, locks.back()->owner(), 1);
      watchdog.add(std::string(name), 1, "", RedissonRenewedAs::owner);
    }
    world.run(milliseconds(10'001));
    EXPECT_EQ(world.count("EVAL redisson-renew"), 1) << "the others wait for its answer";
    world.run(milliseconds(10'100));
    EXPECT_EQ(world.count("EVAL redisson-renew"), batch == 1 ? 3 : 2);
    for (const char* name : {"x", "y", "z"}) EXPECT_GT(world.pttl(name), 29'000);
    world.runtime.kill(1);
  }
}

}  // namespace redisson_lock_test
}  // namespace picklock
