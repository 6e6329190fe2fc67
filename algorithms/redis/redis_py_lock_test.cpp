#include "algorithms/redis/redis_py_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

std::function<void(Options&)> redis_py(const std::function<void(RedisPyLockOptions&)>& set,
                                       RedisPyRelease release = RedisPyRelease::main) {
  return options_of<RedisPyLockOptions>([set, release](RedisPyLockOptions& o) {
    o = RedisPyLockOptions::of(release);
    o.ttl = milliseconds(500);
    if (set) set(o);
  });
}

TEST(RedisPyLock, SetsATokenForItsTimeoutOrForEver) {
  for (const bool expires : {true, false}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "redis-py-lock", redis_py([&](auto& o) { o.expires = expires; }));
    a.acquire();
    world.run(milliseconds(10));
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(a.hold().value.size(), 32U);
    EXPECT_EQ(world.server.log.front(), "SET door " + a.hold().value + (expires ? " NX PX 500" : " NX"));
    EXPECT_EQ(a.hold().deadline.has_value(), expires);
  }
}

TEST(RedisPyLock, GivesUpWhenTheNextAttemptWouldComeTooLate) {
  RedisLockLab world;
  world.server.ask("SET", "door", "other");
  LabClient a(world.server, 1, "redis-py-lock", redis_py(nullptr));
  a.acquire(Patience::lasting(a.host(), milliseconds(250)));
  world.run(milliseconds(203));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(207));
  ASSERT_TRUE(a.acquired);
  EXPECT_EQ(a.acquired->why(), Why::refused);
  EXPECT_EQ(world.count("SET door"), 4) << "the other's, and three of its own, 100 ms apart";
}

// A SET that took effect refuses its own repetition.
TEST(RedisPyLock, WaitsForItsOwnKeyAfterALostAnswer) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py(nullptr));
  world.server.next(1, {Fate::reply_lost});
  a.acquire();
  world.run(milliseconds(400));
  EXPECT_FALSE(a.acquired);
  EXPECT_GE(world.count("SET door"), 2);
  world.run(milliseconds(700));
  EXPECT_TRUE(a.holds()) << "once its own key has expired";
}

TEST(RedisPyLock, WithoutRetriesALostAnswerEndsTheCall) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py([](auto& o) { o.retries = 0; }));
  world.server.next(1, {Fate::reply_lost});
  a.acquire();
  world.run(milliseconds(100));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_EQ(world.count("SET door"), 1);
}

TEST(RedisPyLock, ReleaseDeletesItsOwnKeyAlone) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py(nullptr)),
      b(world.server, 2, "redis-py-lock", redis_py(nullptr));
  a.acquire();
  world.run(milliseconds(10));
  b.acquire();
  world.run(milliseconds(700));
  ASSERT_TRUE(b.holds());
  a.release(a.hold());
  world.run_on(milliseconds(10));
  EXPECT_EQ(a.released->why(), Why::refused);
  EXPECT_EQ(world.value(), '"' + b.hold().value + '"');
  b.release(b.hold());
  world.run_on(milliseconds(10));
  EXPECT_TRUE(b.released->yes());
  b.release(b.hold());
  world.run_on(milliseconds(10));
  EXPECT_EQ(b.released->why(), Why::refused) << "unlocked already";
  EXPECT_EQ(world.count("EVAL"), 2) << "for the third nothing is asked";
}

// PR #4258: what a release that failed leaves of the token.
TEST(RedisPyLock, AReleaseThatFailedCanBeCalledAgainSinceItKeepsTheToken) {
  for (const RedisPyRelease release : {RedisPyRelease::v8_1, RedisPyRelease::main}) {
    RedisLockLab world;
    const auto again = [](auto& o) {
      o.expires = false;
      o.retries = 0;
      o.releases_again = milliseconds(50);
    };
    LabClient a(world.server, 1, "redis-py-lock", redis_py(again, release));
    a.acquire();
    world.run(milliseconds(10));
    ASSERT_TRUE(a.holds());
    world.server.next(1, {Fate::request_lost});
    a.release(a.hold());
    world.run(milliseconds(200));
    ASSERT_TRUE(a.released);
    const bool keeps = release == RedisPyRelease::main;
    EXPECT_EQ(a.released->yes(), keeps);
    EXPECT_EQ(a.released->unknown(), !keeps);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), keeps ? "0" : "1") << "for ever";
  }
}

TEST(RedisPyLock, ASecondReleaseCannotTellWhetherTheFirstWasDone) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py([](auto& o) {
                o.retries = 0;
                o.releases_again = milliseconds(50);
              }));
  a.acquire();
  world.run(milliseconds(10));
  world.server.next(1, {Fate::reply_lost});
  a.release(a.hold());
  world.run(milliseconds(200));
  EXPECT_TRUE(a.released->unknown());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

// PR #489: two threads with one object.  The second is granted between the first's DEL and the end of its release.
TEST(RedisPyLock, AReleaseClearsTheTokenOfTheThreadThatCameAfterIt) {
  for (const RedisPyRelease release : {RedisPyRelease::v2_10_1, RedisPyRelease::v8_1}) {
    RedisLockLab world;
    const auto process = world.process(1);
    const auto shared = [](auto& o) {
      o.expires = false;
      o.shared_object = true;
    };
    LabClient a(process, 1, "redis-py-lock", redis_py(shared, release));
    LabClient c(process, 2, "redis-py-lock", redis_py(shared, release));
    a.acquire();
    world.run(milliseconds(10));
    ASSERT_TRUE(a.holds());
    c.acquire();
    world.run(milliseconds(50));
    // The answer to the last command of the release takes as long as c needs.
    world.server.next(1, release == RedisPyRelease::v2_10_1 ? std::deque{Fate::answered, Fate::reply_lost}
                                                            : std::deque{Fate::reply_lost});
    world.run(milliseconds(98));
    a.release(a.hold());
    world.run(milliseconds(400));
    ASSERT_TRUE(c.holds());
    c.release(c.hold());
    world.run(milliseconds(800));
    const bool forgotten = release == RedisPyRelease::v2_10_1;
    EXPECT_EQ(c.released->yes(), !forgotten);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), forgotten ? "1" : "0");
  }
}

// #416: a token that threads share belongs to the last thread that acquired.
TEST(RedisPyLock, ALateReleaseOfASharedObjectFreesTheNextHolder) {
  for (const bool shared : {true, false}) {
    RedisLockLab world;
    const auto process = world.process(1);
    const auto set = redis_py([&](auto& o) { o.shared_object = shared; });
    LabClient a(process, 1, "redis-py-lock", set), c(process, 2, "redis-py-lock", set);
    a.acquire();
    world.run(milliseconds(10));
    c.acquire();
    world.run(milliseconds(700));
    ASSERT_TRUE(c.holds());
    a.release(a.hold());
    world.run_on(milliseconds(10));
    EXPECT_EQ(a.released->yes(), shared);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), shared ? "0" : "1");
  }
}

TEST(RedisPyLock, ExtensionsSetTheTimeAnewOrAddToIt) {
  for (const RedisPyExtension extension : {RedisPyExtension::reacquire, RedisPyExtension::extend}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "redis-py-lock", redis_py([&](auto& o) { o.extension = extension; }));
    a.acquire();
    world.run(milliseconds(100));
    a.extend(a.hold());
    world.run(milliseconds(110));
    ASSERT_TRUE(a.extended->yes());
    const bool adds = extension == RedisPyExtension::extend;
    EXPECT_EQ(a.lock->deadline(a.hold()), MonoTime{} + milliseconds(adds ? 1000 : 600));
    EXPECT_GE(world.pttl(), adds ? 880 : 480);
    EXPECT_LE(world.pttl(), adds ? 900 : 500);
    a.release(a.hold());
    world.run_on(milliseconds(10));
    a.extend(a.hold());
    world.run_on(milliseconds(10));
    EXPECT_EQ(a.extended->why(), Why::refused) << "cannot extend an unlocked lock";
  }
}

TEST(RedisPyLock, ALockForEverCannotBeExtended) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py([](auto& o) { o.expires = false; }));
  a.acquire();
  world.run(milliseconds(10));
  a.extend(a.hold());
  world.run(milliseconds(20));
  EXPECT_EQ(a.extended->why(), Why::refused);
  EXPECT_EQ(world.count("EVAL"), 0);
}

TEST(RedisPyLock, AnOldAcquireMayEndBetweenItsTwoCommands) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py(nullptr, RedisPyRelease::v2_10_1));
  world.server.next(1, {Fate::answered, Fate::request_lost});
  a.acquire();
  world.run(milliseconds(100));
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_EQ(world.pttl(), -1) << "for ever";
}

// PR #1031: GET, and then DEL.
TEST(RedisPyLock, AnOldReleaseDeletesWhatCameBetween) {
  RedisLockLab world;
  LabClient a(world.server, 1, "redis-py-lock", redis_py(nullptr, RedisPyRelease::v2_10_1));
  a.acquire();
  world.run(milliseconds(10));
  world.server.next(1, {Fate::answered, Fate::slow});
  a.release(a.hold());
  world.run(milliseconds(15));
  world.server.ask("SET", "door", "other");
  world.run(milliseconds(60));
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

}  // namespace
}  // namespace picklock
