#include "algorithms/redis/laravel_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

std::function<void(Options&)> laravel(LaravelRelease release,
                                      const std::function<void(LaravelLockOptions&)>& set = nullptr) {
  return options_of<LaravelLockOptions>([release, set](LaravelLockOptions& o) {
    o.release = release;
    o.ttl = seconds(1);
    if (set) set(o);
  });
}

Task<void> force(Host, Lock* lock, bool* done) {
  const Outcome<> forced = co_await lock->force_release();
  *done = forced.yes();
}

TEST(LaravelLock, AsksWithOneCommandOrWithTwo) {
  RedisLockLab now, before;
  LabClient a(now.server, 1, "laravel-lock", laravel(LaravelRelease::v13_5));
  LabClient b(before.server, 1, "laravel-lock", laravel(LaravelRelease::v5_7));
  a.acquire();
  b.acquire();
  now.run(milliseconds(20));
  before.run(milliseconds(20));
  ASSERT_TRUE(a.holds());
  ASSERT_TRUE(b.holds());
  EXPECT_EQ(now.server.log, std::vector{"SET door " + a.hold().value + " EX 1 NX"});
  EXPECT_EQ(before.server.log, (std::vector<std::string>{"SETNX door 1", "EXPIRE door 1"}));
}

TEST(LaravelLock, WithoutSecondsItIsForEver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "laravel-lock", laravel(LaravelRelease::v13_5, [](auto& o) { o.expires = false; }));
  a.acquire();
  world.run(milliseconds(20));
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(world.pttl(), -1);
}

// block(1): the wall clock decides, before a pause, or, up to 5.8, after it and in whole seconds.
TEST(LaravelLock, BlocksUntilTheWallClockSaysSo) {
  for (const LaravelRelease release : {LaravelRelease::v13_5, LaravelRelease::v5_8}) {
    RedisLockLab world;
    world.server.ask("SET", "door", "other");
    LabClient a(world.server, 1, "laravel-lock", laravel(release));
    a.acquire(Patience::lasting(a.host(), seconds(1)));
    world.run(milliseconds(740));
    EXPECT_FALSE(a.acquired);
    world.run(milliseconds(1300));
    ASSERT_TRUE(a.acquired);
    EXPECT_EQ(a.acquired->why(), Why::refused);
  }
}

TEST(LaravelLock, OneAttemptDoesNotWait) {
  RedisLockLab world;
  world.server.ask("SET", "door", "other");
  LabClient a(world.server, 1, "laravel-lock");
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(10));
  ASSERT_TRUE(a.acquired);
  EXPECT_EQ(a.acquired->why(), Why::refused);
}

TEST(LaravelLock, ALostAnswerIsAnException) {
  RedisLockLab world;
  LabClient a(world.server, 1, "laravel-lock");
  world.server.next(1, {Fate::reply_lost});
  a.acquire();
  world.run(milliseconds(100));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_EQ(world.count("SET"), 1);
}

TEST(LaravelLock, ALostExpireLeavesAKeyForEver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "laravel-lock", laravel(LaravelRelease::v5_8));
  world.server.next(1, {Fate::answered, Fate::request_lost});
  a.acquire();
  world.run(milliseconds(100));
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_EQ(world.pttl(), -1);
}

// #26213
TEST(LaravelLock, ALateReleaseFreesAnothersLockUntil58) {
  for (const LaravelRelease release : {LaravelRelease::v5_7, LaravelRelease::v5_8, LaravelRelease::v13_5}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "laravel-lock", laravel(release)),
        b(world.server, 2, "laravel-lock", laravel(release));
    a.acquire();
    world.run(milliseconds(10));
    b.acquire();
    world.run(milliseconds(1400));
    ASSERT_TRUE(b.holds());
    a.release(a.hold());
    world.run_on(milliseconds(10));
    const bool bare = release == LaravelRelease::v5_7;
    EXPECT_EQ(a.released->yes(), bare);
    EXPECT_EQ(a.released->refused(), !bare);
    EXPECT_EQ(world.server.ask("EXISTS", "door"), bare ? "0" : "1");
  }
}

TEST(LaravelLock, AReleaseWithoutAnswerIsUnknown) {
  RedisLockLab world;
  LabClient a(world.server, 1, "laravel-lock");
  a.acquire();
  world.run(milliseconds(10));
  world.server.next(1, {Fate::reply_lost});
  a.release(a.hold());
  world.run(milliseconds(100));
  EXPECT_TRUE(a.released->unknown());
}

TEST(LaravelLock, RefreshSetsTheTimeAnewAndForceFreesAnybodys) {
  RedisLockLab world;
  LabClient a(world.server, 1, "laravel-lock", laravel(LaravelRelease::v13_5)), b(world.server, 2, "laravel-lock");
  a.acquire();
  world.run(milliseconds(500));
  a.extend(a.hold());
  world.run(milliseconds(510));
  ASSERT_TRUE(a.extended->yes());
  EXPECT_EQ(a.lock->deadline(a.hold()), MonoTime{} + milliseconds(1500));
  EXPECT_GE(world.pttl(), 985);
  b.acquire(Patience::one_attempt(b.host()));
  world.run(milliseconds(520));
  EXPECT_FALSE(b.holds());
  bool freed = false;
  b.host().spawn("force", force(b.host(), b.lock.get(), &freed));
  world.run(milliseconds(530));
  EXPECT_TRUE(freed);
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
  a.extend(a.hold());
  world.run(milliseconds(540));
  EXPECT_EQ(a.extended->why(), Why::refused);
}

// PR #59567: a job that is tried again frees the lock of the job that was dispatched after it.
TEST(LaravelLock, ARetriedJobFreesTheLockOfTheNextOneUntil135) {
  for (const LaravelRelease release : {LaravelRelease::v13_4, LaravelRelease::v13_5}) {
    RedisLockLab world;
    const auto job = laravel(release, [](auto& o) {
      o.unique_job = true;
      o.job_retry = milliseconds(200);
    });
    LabClient a(world.server, 1, "laravel-lock", job), b(world.server, 2, "laravel-lock", job);
    a.acquire();
    world.run(milliseconds(10));
    a.release(a.hold());
    world.run(milliseconds(20));
    b.acquire();
    world.run(milliseconds(40));
    ASSERT_TRUE(b.holds());
    world.run(milliseconds(300));
    EXPECT_EQ(world.server.ask("EXISTS", "door"), release == LaravelRelease::v13_4 ? "0" : "1");
  }
}

}  // namespace
}  // namespace picklock
