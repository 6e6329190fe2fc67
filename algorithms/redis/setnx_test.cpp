#include "algorithms/redis/setnx.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redis/setnx_expire.hpp"

namespace picklock {
namespace setnx_test {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

constexpr auto kHour = seconds(3600);

std::function<void(Options&)> lease(Duration ttl) {
  return options_of<SetnxExpireOptions>([ttl](SetnxExpireOptions& o) { o.ttl = ttl; });
}
std::function<void(Options&)> setnx_with(OnUnknown choice) {
  return options_of<SetnxOptions>([choice](SetnxOptions& o) { o.polling.on_unknown = choice; });
}

TEST(Setnx, GrantsToTheFirstAndAfterItsReleaseToTheNext) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx"), b(world.server, 2, "setnx");
  a.acquire(Patience::unlimited(a.host()));
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(50));
  ASSERT_TRUE(a.holds());
  EXPECT_FALSE(b.acquired);
  EXPECT_EQ(a.hold().deadline, std::nullopt);
  EXPECT_EQ(a.lock->deadline(a.hold()), std::nullopt);
  EXPECT_EQ(a.lock->lost(), nullptr);
  a.release(a.hold());
  world.run(milliseconds(70));
  EXPECT_TRUE(a.released->yes());
  EXPECT_TRUE(b.holds());
}

TEST(Setnx, ADeadHolderKeepsTheLockForEver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx"), b(world.server, 2, "setnx");
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  ASSERT_TRUE(a.holds());
  world.runtime.kill(1);
  b.acquire(Patience::lasting(b.host(), seconds(60)));
  world.run(kHour);
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_EQ(world.server.ask("PTTL", "door"), "-1");
}

TEST(Setnx, CannotBeExtended) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx");
  a.extend(Hold("1"));
  world.run(milliseconds(1));
  EXPECT_EQ(a.extended->why(), Why::refused);
}

TEST(Setnx, ALostReplyLocksEverybodyOutForEver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx");
  world.server.next(1, {Fate::reply_lost});
  a.acquire(Patience::lasting(a.host(), seconds(60)));
  world.run(kHour);
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "1");
}

TEST(Setnx, UndoMayFreeAnothersLock) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx", setnx_with(OnUnknown::undo)), b(world.server, 2, "setnx");
  world.server.next(1, {Fate::request_lost});
  a.acquire(Patience::one_attempt(a.host()));
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(10));
  ASSERT_TRUE(b.holds());
  world.run(milliseconds(30));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << "b's lock, deleted by a's undo";
}

TEST(Setnx, ReleasingTwiceIsRefused) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx");
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  const Hold hold = a.hold();
  a.release(hold);
  world.run(milliseconds(10));
  EXPECT_TRUE(a.released->yes());
  a.release(hold);
  world.run(milliseconds(20));
  EXPECT_EQ(a.released->why(), Why::refused);
}

TEST(SetnxExpire, TheLeaseBeginsWithTheSecondCommand) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx-expire", lease(milliseconds(100)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(4));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.server.log, (std::vector<std::string>{"SETNX door 1", "PEXPIRE door 100"}));
  EXPECT_EQ(a.hold().deadline, MonoTime{} + milliseconds(100)) << "counted from the first";
  world.run(milliseconds(103));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "1");
  world.run(milliseconds(104));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(SetnxExpire, DeathBetweenTheTwoCommandsLocksForEver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx-expire", lease(milliseconds(100)));
  world.runtime.at_mark = [](NodeId, MarkSide, Mark m) { return m != *find_mark("pexpire"); };
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(10));
  world.runtime.kill(1);
  world.run(kHour);
  EXPECT_EQ(world.server.ask("PTTL", "door"), "-1");
  EXPECT_EQ(world.runtime.arena().live(), 0U);
}

TEST(SetnxExpire, WhetherTheExpiryWasSetIsNotLookedAt) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx-expire", lease(milliseconds(100)));
  world.server.next(1, {Fate::answered, Fate::request_lost});
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(30));
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(world.server.ask("PTTL", "door"), "-1");
}

TEST(SetnxExpire, ALateReleaseFreesAnothersLock) {
  RedisLockLab world;
  LabClient a(world.server, 1, "setnx-expire", lease(milliseconds(100)));
  LabClient b(world.server, 2, "setnx-expire", lease(milliseconds(100)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(120));
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(130));
  ASSERT_TRUE(b.holds());
  a.release(a.hold());
  world.run(milliseconds(140));
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

}  // namespace setnx_test
}  // namespace picklock
