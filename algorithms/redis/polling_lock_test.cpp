#include "algorithms/redis/polling_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redis/set_nx_px.hpp"
#include "algorithms/redis/setnx.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

std::function<void(Options&)> on_unknown(OnUnknown choice) {
  return options_of<SetNxPxOptions>([choice](SetNxPxOptions& o) {
    o.ttl = milliseconds(100);
    o.polling.on_unknown = choice;
  });
}

std::size_t count_of(const RedisLockLab& world, std::string_view command) {
  std::size_t n = 0;
  for (const std::string& line : world.server.log) n += line.starts_with(command);
  return n;
}

TEST(Polling, AsksAgainUntilTheLockIsFree) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px"), b(world.server, 2, "set-nx-px");
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(3));
  ASSERT_TRUE(a.holds());
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(200));
  EXPECT_FALSE(b.acquired);
  EXPECT_GE(count_of(world, "SET "), 12U) << "one attempt in 7 to 12 ms";
  a.release(a.hold());
  world.run(milliseconds(220));
  EXPECT_TRUE(b.holds());
}

TEST(Polling, GivesUpWhenItsPatienceEnds) {
  RedisLockLab world;
  world.server.ask("SET", "door", "somebody");
  LabClient a(world.server, 1, "set-nx-px");
  a.acquire(Patience::lasting(a.host(), milliseconds(50)));
  world.run(milliseconds(49));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(53));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->refused());
  EXPECT_EQ(a.acquired->why(), Why::refused);
}

TEST(Polling, OneAttemptSendsOneRequest) {
  RedisLockLab world;
  world.server.ask("SET", "door", "somebody");
  LabClient a(world.server, 1, "set-nx-px");
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(2));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->refused());
  EXPECT_EQ(count_of(world, "SET door"), 2U);
}

TEST(Polling, WhatNeverLeftIsARefusal) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px");
  world.server.next(1, {Fate::not_connected});
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(2));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->refused());
  EXPECT_TRUE(world.server.log.empty()) << "nothing to undo";
}

TEST(Polling, AnUndoneAttemptIsARefusal) {
  for (const Fate fate : {Fate::reply_lost, Fate::cut}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::undo));
    world.server.next(1, {fate});
    a.acquire(Patience::one_attempt(a.host()));
    world.run(milliseconds(30));
    ASSERT_TRUE(a.acquired);
    EXPECT_TRUE(a.acquired->refused());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
  }
}

TEST(Polling, AnUndoThatFindsNothingSettlesNothing) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::undo));
  world.server.next(1, {Fate::late});  // the undo overtakes the request
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(25));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
  world.run(milliseconds(31));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "1") << "a grant that nobody knows of";
}

TEST(Polling, AnUndoWithoutAnswerSettlesNothing) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::undo));
  world.server.next(1, {Fate::reply_lost, Fate::reply_lost});
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(50));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown());
}

TEST(Polling, AGrantAfterAnUnknownAttemptIsAGrant) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::undo));
  world.server.next(1, {Fate::request_lost});
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(50));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.server.ask("GET", "door"), '"' + a.hold().value + '"');
}

TEST(Polling, AssumingToHoldIsRightOrWrong) {
  for (const auto& [fate, really] : {std::pair(Fate::reply_lost, "1"), {Fate::request_lost, "0"}}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::assume_held));
    world.server.next(1, {fate});
    a.acquire(Patience::unlimited(a.host()));
    world.run(milliseconds(22));
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(world.server.ask("EXISTS", "door"), really);
  }
}

TEST(Polling, AnIgnoredGrantKeepsEverybodyOutForOneLease) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::ignore));
  world.server.next(1, {Fate::reply_lost});
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(99));
  EXPECT_FALSE(a.acquired);
  world.run(milliseconds(130));
  EXPECT_TRUE(a.holds());
}

TEST(Polling, AnIgnoredGrantMakesTheEndUnknown) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::ignore));
  world.server.next(1, {Fate::reply_lost});
  a.acquire(Patience::lasting(a.host(), milliseconds(60)));
  world.run(milliseconds(90));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->unknown());
}

TEST(Polling, AnErrorReplyHadNoEffect) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px");
  world.server.database.set_role(RedisRole::replica);  // READONLY
  a.acquire(Patience::one_attempt(a.host()));
  world.run(milliseconds(2));
  ASSERT_TRUE(a.acquired);
  EXPECT_TRUE(a.acquired->refused());
}

TEST(Polling, EveryGrantAnnouncesItsDeadline) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::undo));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  EXPECT_EQ(world.runtime.leases[1], std::vector{MonoTime{} + milliseconds(100)});
}

TEST(Polling, AnAbandonedAcquireSendsNothingMore) {
  RedisLockLab world;
  world.server.ask("SET", "door", "somebody");
  LabClient a(world.server, 1, "set-nx-px");
  a.acquire_within(Patience::unlimited(a.host()), milliseconds(20));
  world.run(milliseconds(21));
  EXPECT_EQ(world.runtime.tasks(), 0U);
  EXPECT_EQ(world.runtime.waits(), 0U);
  const std::size_t sent = world.server.log.size();
  world.run(seconds(10));
  EXPECT_EQ(world.server.log.size(), sent);
  EXPECT_EQ(world.runtime.arena().live(), 0U);
}

TEST(Polling, AGrantToAnAbandonedAcquireStaysForOneLease) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", on_unknown(OnUnknown::undo));
  a.acquire_within(Patience::unlimited(a.host()), microseconds(500));  // the SET is on its way
  world.run(milliseconds(2));
  EXPECT_EQ(world.server.ask("PTTL", "door"), "99");
  world.run(milliseconds(102));
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
  EXPECT_EQ(world.runtime.arena().live(), 0U);
}

}  // namespace
}  // namespace picklock
