#include "algorithms/redis/getset_timestamp.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::LabClient;
using testing::LabRuntime;
using testing::options_of;
using testing::RedisLockLab;

// Stamps that expire 110 ms after they were made; holders may rely on 100 ms.
std::function<void(Options&)> stamps() {
  return options_of<GetsetTimestampOptions>([](GetsetTimestampOptions& o) {
    o.timeout = milliseconds(100);
    o.margin = milliseconds(10);
    o.polling.retry = Law::constant(milliseconds(5));
  });
}

std::string stamp(Duration after_start) {
  return std::to_string(LabRuntime::kEpochNs / milliseconds(1).ns + after_start.ms());
}

// Two clients find an expired lock and both have read its stamp before either goes on.
struct Race {
  explicit Race(std::string_view kind) : a(world.server, 1, kind, stamps()), b(world.server, 2, kind, stamps()) {
    world.server.ask("SET", "door", stamp(milliseconds(0)));
    a.acquire(Patience::lasting(a.host(), milliseconds(50)));
    world.run(microseconds(1500));
    b.acquire(Patience::lasting(b.host(), milliseconds(50)));
    world.run(milliseconds(20));
  }
  RedisLockLab world;
  LabClient a, b;
};

TEST(GetsetTimestamp, TheValueSaysWhenTheLockExpires) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.hold().value, stamp(milliseconds(110)));
  EXPECT_EQ(a.hold().deadline, MonoTime{} + milliseconds(100));
  EXPECT_EQ(world.server.log, std::vector{"SETNX door " + stamp(milliseconds(110))});
  EXPECT_EQ(world.server.ask("PTTL", "door"), "-1") << "the server knows of no lease";
}

TEST(GetsetTimestamp, ALiveStampIsRespected) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  LabClient b(world.server, 2, "getset-timestamp", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(100));
  EXPECT_FALSE(b.acquired);
  a.release(a.hold());
  world.run(milliseconds(99 + 5));
  EXPECT_EQ(a.released->why(), Why::refused) << "at 100 ms our own timeout has passed";
  for (const std::string& line : world.server.log) EXPECT_FALSE(line.starts_with("GETSET")) << line;
}

TEST(GetsetTimestamp, AReleaseInTimeDeletesTheKey) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(90));
  a.release(a.hold());
  world.run(milliseconds(93));
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(GetsetTimestamp, AnExpiredLockIsTakenOver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  LabClient b(world.server, 2, "getset-timestamp", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  world.runtime.kill(1);
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(109));
  EXPECT_FALSE(b.acquired);
  world.run(milliseconds(130));
  ASSERT_TRUE(b.holds());
  EXPECT_EQ(world.server.ask("GET", "door"), '"' + b.hold().value + '"');
}

TEST(GetsetTimestamp, OfTwoWhoSeeItExpiredOneWins) {
  Race race("getset-timestamp");
  EXPECT_TRUE(race.a.holds());
  EXPECT_FALSE(race.b.holds());
  EXPECT_NE(race.world.server.ask("GET", "door"), '"' + race.a.hold().value + '"')
      << "the loser's stamp stands there, a little later than the winner's";
}

TEST(DelSetnxTimestamp, OfTwoWhoSeeItExpiredBothWin) {
  RedisLockLab world;
  LabClient a(world.server, 1, "del-setnx-timestamp", stamps());
  LabClient b(world.server, 2, "del-setnx-timestamp", stamps());
  world.server.ask("SET", "door", stamp(milliseconds(0)));
  a.acquire(Patience::one_attempt(a.host()));
  // b is 3 ms behind: its DEL arrives just after a's SETNX.
  world.runtime.at(microseconds(2500).ns, [&] { b.acquire(Patience::one_attempt(b.host())); });
  world.run(milliseconds(20));
  EXPECT_TRUE(a.holds());
  EXPECT_TRUE(b.holds());
}

TEST(DelSetnxTimestamp, AloneItTakesAnExpiredLockOver) {
  RedisLockLab world;
  LabClient a(world.server, 1, "del-setnx-timestamp", stamps());
  world.server.ask("SET", "door", stamp(milliseconds(50)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(49));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(80));
  EXPECT_TRUE(a.holds());
}

TEST(GetsetTimestamp, AFastClockStealsALiveLock) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  LabClient b(world.server, 2, "getset-timestamp", stamps());
  world.runtime.wall_offset[2] = milliseconds(200).ns;
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(20));
  EXPECT_TRUE(a.holds());
  EXPECT_TRUE(b.holds());
}

TEST(GetsetTimestamp, StoppedBetweenCheckAndDelItFreesAnothersLock) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  LabClient b(world.server, 2, "getset-timestamp", stamps());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(90));
  world.server.next(1, {testing::Fate::late});  // 30 ms from the check to the server
  a.release(a.hold());
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(119));
  ASSERT_TRUE(b.holds());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "1");
  world.run(milliseconds(121));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(GetsetTimestamp, AVanishedKeyIsTaken) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  world.server.ask("SET", "door", stamp(milliseconds(1000)));
  world.runtime.at(microseconds(1500).ns, [&] { world.server.ask("DEL", "door"); });
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(10));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.server.ask("GET", "door"), '"' + a.hold().value + '"');
}

TEST(GetsetTimestamp, WhatIsNoStampNeverExpires) {
  for (const char* value : {"", "soon", "12x", "99999999999999999999"}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "getset-timestamp", stamps());
    world.server.ask("SET", "door", value);
    a.acquire(Patience::lasting(a.host(), seconds(1)));
    world.run(seconds(2));
    EXPECT_TRUE(a.acquired->refused()) << value;
  }
}

TEST(GetsetTimestamp, AGetWithoutAnswerIsNoGrant) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  world.server.ask("SET", "door", stamp(milliseconds(0)));
  world.server.next(1, {testing::Fate::answered, testing::Fate::reply_lost});
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(30));
  EXPECT_TRUE(a.acquired->refused()) << "SETNX said no, and GET changes nothing";
}

TEST(GetsetTimestamp, AGetsetWithoutAnswerIsUnknown) {
  RedisLockLab world;
  LabClient a(world.server, 1, "getset-timestamp", stamps());
  world.server.ask("SET", "door", stamp(milliseconds(0)));
  world.server.next(1, {testing::Fate::answered, testing::Fate::answered, testing::Fate::reply_lost});
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(30));
  EXPECT_TRUE(a.acquired->unknown());
}

}  // namespace
}  // namespace picklock
