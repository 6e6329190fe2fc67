// Redisson's fenced lock and its spin lock in the lab.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_lock.hpp"
#include "algorithms/redisson/redisson_spin_lock.hpp"

namespace picklock {
namespace {

using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

TEST(RedissonFencedLock, TokensGrowAlsoByReentry) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-fenced-lock");
  for (std::int64_t token = 1; token <= 3; ++token) {
    a.acquire();
    world.run(milliseconds(10 * token));
    EXPECT_EQ(a.hold().token, token);
  }
}

TEST(RedissonFencedLock, GetTokenReadsTheSuccessors) {
  RedisLockLab world;
  const auto edit = options_of<RedissonFencedOptions>([](RedissonFencedOptions& o) {
    o.token_from = RedissonTokenFrom::get_token;
    o.lock.renewal = RedissonRenewal::none;
    o.lock.lease = milliseconds(100);
    o.lease_ignored = false;
  });
  LabClient a(world.process(1), 1, "redisson-fenced-lock", edit), b(world.process(2), 1, "redisson-fenced-lock", edit);
  world.runtime.at_mark = [](NodeId node, MarkSide side, Mark m) {
    return node != 1 || side != MarkSide::before || m != *find_mark("get");
  };
  a.acquire();
  world.run(milliseconds(150));
  b.acquire();
  world.run(milliseconds(160));
  EXPECT_EQ(b.hold().token, 2);
  EXPECT_EQ(world.server.ask("GET", "redisson_lock_token:{door}"), "\"2\"") << "which a is about to read";
}

TEST(RedissonFencedLock, ALeaseTimeIsNotUsed) {
  for (const bool ignored : {true, false}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-fenced-lock",
                options_of<RedissonFencedOptions>([&](RedissonFencedOptions& o) {
                  o.lock.renewal = RedissonRenewal::none;
                  o.lock.lease = seconds(1);
                  o.lease_ignored = ignored;
                }));
    a.acquire();
    world.run(seconds(2));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), ignored ? "1" : "0");
  }
}

TEST(RedissonFencedLock, ExpireReachesTheCounterToo) {
  for (const FencedExpire expire : {FencedExpire::never, FencedExpire::with_counter, FencedExpire::lock_alone}) {
    RedisLockLab world;
    LabClient a(world.process(1), 1, "redisson-fenced-lock",
                options_of<RedissonFencedOptions>([&](RedissonFencedOptions& o) {
                  o.lock.renewal = RedissonRenewal::none;
                  o.lock.lease = seconds(1);
                  o.lease_ignored = false;
                  o.expire = expire;
                }));
    a.acquire();
    world.run(milliseconds(10));
    ASSERT_TRUE(a.holds());
    EXPECT_GT(world.pttl(), 900);
    const bool ends = world.pttl("redisson_lock_token:{door}") > 0;
    EXPECT_EQ(ends, expire == FencedExpire::with_counter);
  }
}

TEST(RedissonSpinLock, PollsAndNeverSubscribes) {
  RedisLockLab world;
  LabClient a(world.process(1), 1, "redisson-spin-lock"), b(world.process(2), 1, "redisson-spin-lock");
  a.acquire();
  world.run(milliseconds(10));
  b.acquire();
  world.run(seconds(1));
  EXPECT_EQ(world.count("SUBSCRIBE"), 0);
  EXPECT_GT(world.count("EVAL redisson-acquire"), 10);
  a.release(a.hold());
  world.run(milliseconds(1200));
  EXPECT_TRUE(b.holds());
}

}  // namespace
}  // namespace picklock
