// Redisson's multi-lock and RedLock in the lab.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redis_scripts_redisson.hpp"
#include "algorithms/redisson/redisson_multi_lock.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

auto multi(MemberLease member, FinalExpiry final_expiry) {
  return options_of<RedissonMultiOptions>([=](RedissonMultiOptions& o) {
    o.lock.renewal = RedissonRenewal::none;
    o.lock.lease = milliseconds(100);
    o.member_lease = member;
    o.final_expiry = final_expiry;
  });
}

TEST(RedissonMultiBug2172, MinusOneTwiceDeletesTheKeyAndEverybodyAcquires) {
  for (const MemberLease member : {MemberLease::of_the_call, MemberLease::twice_any_wait}) {
    RedisLockLab world;
    const auto edit = multi(member, FinalExpiry::unguarded);
    LabClient a(world.process(1), 1, "redisson-multi-lock", edit), b(world.process(2), 1, "redisson-multi-lock", edit);
    a.acquire(Patience::one_attempt(a.host()));
    b.acquire(Patience::one_attempt(b.host()));
    world.run(milliseconds(20));
    EXPECT_EQ(a.holds() + b.holds(), member == MemberLease::of_the_call ? 1 : 2);
  }
}

TEST(RedissonMultiLock, TheExpiryAtTheEndProlongsASuccessorsLock) {
  for (const FinalExpiry final_expiry : {FinalExpiry::unguarded, FinalExpiry::if_owned}) {
    RedisLockLab world;
    const auto edit = multi(MemberLease::of_the_call, final_expiry);
    LabClient a(world.process(1), 1, "redisson-multi-lock", edit), b(world.process(2), 1, "redisson-multi-lock", edit);
    int asks = 0;  // a's first request is the acquire, its second the expiry
    world.runtime.at_mark = [&](NodeId node, MarkSide side, Mark) {
      return node != 1 || side != MarkSide::before || ++asks != 2;
    };
    a.acquire(Patience::one_attempt(a.host()));
    world.run(milliseconds(150));
    b.acquire(Patience::one_attempt(b.host()));
    world.run(milliseconds(160));
    EXPECT_TRUE(b.holds()) << "a's lease is over";
    // A stopped exchange stays stopped in this world; what a would send now:
    const std::string sent = final_expiry == FinalExpiry::unguarded
                                 ? world.server.ask("PEXPIRE", "door", 100)
                                 : world.server.command(kRedissonExpireIfOwned.call({"door"}, {"100", "a:1"}));
    EXPECT_EQ(sent, final_expiry == FinalExpiry::unguarded ? "1" : "0");
  }
}

TEST(RedissonMultiLock, SecondsAreConvertedAgainByEachRetry) {
  for (const LeaseUnit unit : {LeaseUnit::milliseconds, LeaseUnit::seconds}) {
    RedisLockLab world;
    (void)world.server.ask("HSET", "door", "somebody:1", "1");
    (void)world.server.ask("PEXPIRE", "door", 3000);
    LabClient a(world.process(1), 1, "redisson-multi-lock",
                options_of<RedissonMultiOptions>([&](RedissonMultiOptions& o) {
                  o.lock.renewal = RedissonRenewal::none;
                  o.lock.lease = seconds(1);
                  o.lease_unit = unit;
                }));
    a.acquire();  // a first round of two seconds, and a second one
    world.run(milliseconds(3100));
    ASSERT_TRUE(a.holds());
    const std::int64_t left_ms = world.pttl();
    EXPECT_EQ(left_ms > 1'000, unit == LeaseUnit::seconds) << left_ms;
    EXPECT_LE(left_ms, unit == LeaseUnit::seconds ? 1'000'000 : 1'000);
  }
}

// Since 4.7 a member says false where it threw, so the multi-lock does not unlock what the request has taken, and takes it
// twice at its next attempt.
TEST(RedissonMultiLock, AMemberWhoseGrantHasNoAnswerIsCountedTwiceSince47) {
  for (const RedissonRelease release : {RedissonRelease::v3_52, RedissonRelease::v4_7}) {
    RedisLockLab world;
    const auto edit = options_of<RedissonMultiOptions>([=](RedissonMultiOptions& o) {
      o = RedissonMultiOptions::of(release);
      o.lock.retry_attempts = 0;
    });
    LabClient a(world.process(1), 1, "redisson-lock"), b(world.process(2), 1, "redisson-multi-lock", edit);
    a.acquire();
    world.run(milliseconds(10));
    world.server.next(2, {Fate::answered, Fate::answered, Fate::answered, Fate::reply_lost});
    b.acquire(Patience::lasting(b.host(), seconds(5)));
    world.run(milliseconds(50));
    a.release(a.hold());
    world.run(seconds(2));
    ASSERT_TRUE(b.acquired && b.holds());
    b.release(b.hold());
    world.run(seconds(3));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), release == RedissonRelease::v4_7 ? "1" : "0");
  }
}

TEST(RedissonRedLock, AMajorityIsEnough) {
  RedisLockLab world(3);
  const auto edit = options_of<RedissonRedLockOptions>([](RedissonRedLockOptions& o) {
    o.multi.lock.renewal = RedissonRenewal::none;
    o.multi.lock.retry_attempts = 0;
  });
  LabClient a(world.process(1), 1, "redisson-redlock", edit), b(world.process(2), 1, "redisson-redlock", edit);
  world.servers[0].next(1, {Fate::request_lost, Fate::request_lost});
  a.acquire(Patience::lasting(a.host(), milliseconds(300)));
  world.run(milliseconds(500));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.servers[0].ask("EXISTS", "door"), "0");
  b.acquire(Patience::lasting(b.host(), milliseconds(300)));
  world.run(seconds(1));
  EXPECT_FALSE(b.holds());
  EXPECT_EQ(world.servers[0].ask("EXISTS", "door"), "0") << "what b got there, it gave back";
  a.release(a.hold());
  world.run(seconds(2));
  EXPECT_TRUE(a.released->yes());
}

}  // namespace
}  // namespace picklock
