#include "algorithms/redis/jedis_thread_name.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace jedis_thread_name_test {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

template <class Edit>
auto with(Edit edit) {
  return options_of<JedisThreadNameOptions>(edit);
}

struct Thread : LabClient {
  template <class Edit>
  Thread(RedisLockLab& world, NodeId node, Edit edit)
      : LabClient(world.process(node), 1, "jedis-thread-name", with(edit)) {}
  Thread(RedisLockLab& world, NodeId node) : LabClient(world.process(node), 1, "jedis-thread-name") {}
  Thread(std::shared_ptr<testing::LabProcess> process, std::uint32_t thread, std::function<void(Options&)> edit)
      : LabClient(std::move(process), thread, "jedis-thread-name", edit) {}
};

TEST(JedisThreadName, EveryLeaseEndsFiveSecondsAfterTheGrant) {
  for (const std::int64_t asked : {3, 60}) {
    RedisLockLab world;
    Thread a(world, 1, [&](JedisThreadNameOptions& o) { o.ttl = seconds(asked); });
    a.acquire();
    world.run(milliseconds(3));
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(*a.hold().deadline, MonoTime{} + seconds(asked)) << "what the caller thinks";
    EXPECT_EQ(world.pttl(), 5000);
    world.run(milliseconds(5010));
    EXPECT_EQ(world.pttl(), -2) << "the next renewal comes at 30 s";
  }
}

TEST(JedisThreadName, ARenewalInTimeKeepsTheLease) {
  RedisLockLab world;
  Thread a(world, 1, [](JedisThreadNameOptions& o) { o.renewal_period = milliseconds(1500); });
  a.acquire();
  world.run(seconds(100));
  EXPECT_GT(world.pttl(), 3000);
}

TEST(JedisThreadName, ARenewalThatNothingEndsProlongsALaterTenure) {
  for (const JedisStop stop : {JedisStop::never, JedisStop::release}) {
    RedisLockLab world;
    Thread a(world, 1, [&](JedisThreadNameOptions& o) { o.stop = stop; });
    a.acquire();
    world.run(seconds(1));
    a.release(a.hold());
    world.run(seconds(28));
    a.acquire();
    world.run(milliseconds(30'010));
    EXPECT_EQ(world.pttl(), stop == JedisStop::never ? 4995 : 2993) << static_cast<int>(stop);
    world.run(seconds(200));
    EXPECT_EQ(world.runtime.tasks(), stop == JedisStop::never ? 2U : 1U) << "its own, and the old one";
  }
}

TEST(JedisThreadName, TheStaticFlagEndsTheRenewalsOfTheWholeProcess) {
  for (const JedisStop stop : {JedisStop::flag, JedisStop::release}) {
    RedisLockLab world;
    const auto jvm = world.process(1);
    const auto edit = with([&](JedisThreadNameOptions& o) { o.stop = stop; });
    Thread a(jvm, 1, edit), b(jvm, 2, edit);
    a.acquire();
    world.run(seconds(1));
    a.release(a.hold());
    world.run(seconds(2));
    b.acquire();
    world.run(milliseconds(2005));
    EXPECT_EQ(world.pttl() > 3000, stop == JedisStop::release) << "b is not renewed, since a has released";
  }
}

TEST(JedisThreadName, AThreadOfTheSameNameElsewhereIsTheOwnerAsWell) {
  for (const JedisOwner owner : {JedisOwner::thread_name, JedisOwner::unique}) {
    RedisLockLab world;
    const auto edit = [&](JedisThreadNameOptions& o) { o.owner = owner; };
    Thread a(world, 1, edit), b(world, 2, edit);
    a.acquire();
    world.run(seconds(6));  // a's lease is over
    b.acquire();
    world.run(seconds(7));
    ASSERT_TRUE(b.holds());
    a.release(a.hold());
    world.run(seconds(8));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), owner == JedisOwner::thread_name ? "0" : "1");
  }
}

TEST(JedisThreadName, ItWaitsForItselfUntilItsOwnKeyExpires) {
  RedisLockLab world;
  Thread a(world, 1);
  a.acquire();
  world.run(milliseconds(10));
  a.acquire();
  world.run(milliseconds(5000));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(6100));
  EXPECT_TRUE(a.holds());
}

// The inner acquire has a value of its own by the time at which the outer hold's renewal first runs.
TEST(JedisThreadName, RenewedInTimeItWaitsForItselfForEver) {
  RedisLockLab world;
  Thread a(world, 1, [](JedisThreadNameOptions& o) {
    o.owner = JedisOwner::unique;
    o.connection = JedisSharing::own;
    o.renewal_period = milliseconds(1500);
  });
  auto nested = [](Host host, Lock* lock) -> Task<void> {
    (void)co_await lock->acquire(Patience::unlimited(host));
    (void)co_await lock->acquire(Patience::unlimited(host));
  };
  a.host().spawn("client", nested(a.host(), a.lock.get()));
  world.run(seconds(100));
  EXPECT_GT(world.pttl(), 3000) << "renewed by the outer hold";
}

TEST(JedisThreadName, AnAnswerThatStaysAwayLeavesAnOrphan) {
  RedisLockLab world;
  Thread a(world, 1);
  world.server.next(1, {Fate::reply_lost});
  a.acquire();
  world.run(milliseconds(50));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_GT(world.pttl(), 2900);
}

TEST(JedisThreadName, ASectionThatThrowsDoesNotUnlock) {
  for (const bool in_finally : {false, true}) {
    RedisLockLab world;
    Thread a(world, 1, [&](JedisThreadNameOptions& o) {
      o.throws_ppm = 1'000'000;
      o.unlock_in_finally = in_finally;
    });
    a.acquire();
    world.run(milliseconds(10));
    a.release(a.hold());
    world.run(milliseconds(20));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), in_finally ? "0" : "1");
  }
}

// The old renewal sends at 30,004 ms, a millisecond after the caller: on one connection either may read
// the other's reply.
TEST(JedisThreadName, OnASharedConnectionOneReadsTheOthersReply) {
  for (const JedisSharing sharing : {JedisSharing::shared, JedisSharing::own}) {
    int granted = 0, orphans = 0;
    for (NodeId node = 1; node <= 20; ++node) {
      RedisLockLab world;
      for (NodeId i = 0; i < node; ++i) (void)world.runtime.draw(node, Purpose::application);
      Thread a(world, node, [&](JedisThreadNameOptions& o) { o.connection = sharing; });
      a.acquire();
      world.run(milliseconds(10));
      a.release(a.hold());
      world.run(milliseconds(30'003));
      a.acquire();
      world.run(milliseconds(30'010));
      ASSERT_TRUE(a.acquired);
      EXPECT_EQ(world.server.ask("EXISTS", "door"), "1");
      (a.acquired->unknown() ? orphans : granted) += 1;
    }
    EXPECT_GT(granted, 3);
    EXPECT_EQ(orphans > 3, sharing == JedisSharing::shared) << "a number where OK should be: an exception";
    EXPECT_EQ(granted + orphans, 20);
  }
}

}  // namespace jedis_thread_name_test
}  // namespace picklock
