#include "algorithms/redis/set_nx_px.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "sim/redis/control.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

std::function<void(Options&)> lease(Duration ttl, CountFrom from = CountFrom::ask) {
  return options_of<SetNxPxOptions>([ttl, from](SetNxPxOptions& o) {
    o.ttl = ttl;
    o.count_from = from;
  });
}

// One client acquires, lets its lease run out, and another comes after it.
struct LateHolder {
  explicit LateHolder(std::string_view kind)
      : a(world.server, 1, kind, lease(milliseconds(100))), b(world.server, 2, kind, lease(milliseconds(100))) {
    a.acquire(Patience::unlimited(a.host()));
    world.run(milliseconds(120));
    b.acquire(Patience::unlimited(b.host()));
    world.run(milliseconds(125));
  }
  RedisLockLab world;
  LabClient a, b;
};

TEST(SetNxPx, TheServerKeepsTheValueForOneLease) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", lease(milliseconds(100)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(world.server.log, std::vector{"SET door " + a.hold().value + " NX PX 100"});
  EXPECT_EQ(a.hold().token, std::nullopt);
  world.run(milliseconds(101));
  EXPECT_EQ(world.server.ask("GET", "door"), '"' + a.hold().value + '"');
  world.run(milliseconds(102));
  EXPECT_EQ(world.server.ask("GET", "door"), "nil");
}

TEST(SetNxPx, TheDeadlineCountsFromTheAskOrWronglyFromTheReply) {
  for (const auto& [from, way] : {std::pair(CountFrom::ask, Duration{}), {CountFrom::reply, milliseconds(2)}}) {
    RedisLockLab world;
    LabClient a(world.server, 1, "set-nx-px", lease(milliseconds(100), from));
    a.acquire(Patience::unlimited(a.host()));
    world.run(milliseconds(5));
    const MonoTime due = MonoTime{} + way + milliseconds(100);
    EXPECT_EQ(a.hold().deadline, due);
    EXPECT_EQ(a.lock->deadline(a.hold()), due);
    EXPECT_EQ(world.runtime.leases[1], std::vector{due});
  }
}

// A holder that stops a margin before its lease ends.
struct Cautious final : SetNxPx {
  using SetNxPx::SetNxPx;
  Task<Acquired> take(Hold proposed) override {
    auto taken = co_await SetNxPx::take(std::move(proposed));
    if (taken.yes()) taken.value().deadline = *taken.value().deadline - milliseconds(20);
    co_return taken;
  }
};

TEST(SetNxPx, EveryAttemptIsATakeSoWhoOverridesThatMovesTheDeadline) {
  RedisLockLab world;
  const auto process = world.process(1);
  LabClient a(process, 1, "set-nx-px");
  SetNxPxOptions options;
  options.ttl = milliseconds(100);
  a.lock = std::make_unique<Cautious>(process->context(1), options);
  a.acquire();
  world.run(milliseconds(5));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.hold().deadline, MonoTime{} + milliseconds(80));
  EXPECT_EQ(a.lock->deadline(a.hold()), MonoTime{} + milliseconds(80));
  EXPECT_EQ(world.runtime.leases[1], std::vector{MonoTime{} + milliseconds(80)});
}

// The given number of replicas that acknowledge.
struct Replicas final : RedisControl {
  RedisReply control(RedisControlCommand, RedisCall&) override { return RedisReply::integer(acknowledge); }
  std::int64_t acknowledge = 0;
};

std::function<void(Options&)> waiting_for(std::int64_t replicas) {
  return options_of<SetNxPxOptions>([replicas](SetNxPxOptions& o) { o.wait_replicas = replicas; });
}

TEST(SetNxPx, AGrantCountsOnceEnoughReplicasHaveIt) {
  RedisLockLab world;
  Replicas replicas;
  replicas.acknowledge = 2;
  world.server.database.set_control(&replicas);
  LabClient a(world.server, 1, "set-nx-px", waiting_for(2));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(3));
  EXPECT_FALSE(a.holds()) << "set, but not acknowledged yet";
  world.run(milliseconds(5));
  ASSERT_TRUE(a.holds());
  ASSERT_EQ(world.server.log.size(), 2U);
  EXPECT_EQ(world.server.log[1], "WAIT 2 100");
  EXPECT_EQ(a.hold().deadline, MonoTime{} + seconds(30)) << "counted from the SET";
}

TEST(SetNxPx, AGrantThatTooFewReplicasHaveIsUndone) {
  for (const std::string_view kind : {"set-nx-px", "set-nx-px-fenced"}) {
    RedisLockLab world;
    Replicas replicas;
    replicas.acknowledge = 1;
    world.server.database.set_control(&replicas);
    LabClient a(world.server, 1, kind, waiting_for(2));
    a.acquire(Patience::lasting(a.host(), milliseconds(4)));
    world.run(milliseconds(40));
    EXPECT_FALSE(a.holds()) << kind;
    EXPECT_EQ(a.acquired->why(), Why::refused) << kind;
    EXPECT_EQ(world.server.ask("EXISTS", "door"), "0") << kind;
  }
}

TEST(SetNxPx, AWaitWithoutAnswerIsUndoneToo) {
  RedisLockLab world;
  Replicas replicas;
  replicas.acknowledge = 2;
  world.server.database.set_control(&replicas);
  world.server.next(1, {Fate::answered, Fate::reply_lost});
  LabClient a(world.server, 1, "set-nx-px", waiting_for(2));
  a.acquire(Patience::lasting(a.host(), milliseconds(10)));
  world.run(milliseconds(100));
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(world.server.ask("EXISTS", "door"), "0");
}

TEST(SetNxPx, EveryAttemptHasItsOwnValue) {
  RedisLockLab world;
  world.server.ask("SET", "door", "somebody");
  LabClient a(world.server, 1, "set-nx-px");
  a.acquire(Patience::lasting(a.host(), milliseconds(100)));
  world.run(milliseconds(200));
  std::vector<std::string> attempts(world.server.log.begin() + 1, world.server.log.end());
  ASSERT_GE(attempts.size(), 5U);
  std::sort(attempts.begin(), attempts.end());
  EXPECT_EQ(std::adjacent_find(attempts.begin(), attempts.end()), attempts.end());
}

TEST(SetNxPx, ReleaseGivesBackOnlyWhatIsOurs) {
  LateHolder late("set-nx-px");
  ASSERT_TRUE(late.b.holds());
  late.a.release(late.a.hold());
  late.world.run(milliseconds(130));
  EXPECT_EQ(late.a.released->why(), Why::refused);
  EXPECT_EQ(late.world.server.ask("GET", "door"), '"' + late.b.hold().value + '"');
  late.b.release(late.b.hold());
  late.world.run(milliseconds(140));
  EXPECT_TRUE(late.b.released->yes());
  EXPECT_EQ(late.world.server.ask("EXISTS", "door"), "0");
}

TEST(SetNxPx, AReleaseWithoutAnswerIsUnknown) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px");
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  world.server.next(1, {Fate::reply_lost});
  a.release(a.hold());
  world.run(milliseconds(30));
  EXPECT_TRUE(a.released->unknown());
}

TEST(SetNxPx, AReleaseThatMeetsAnErrorIsRefusedForIt) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px");
  world.server.ask("HSET", "door", "field", "1");
  a.release(Hold("mine"));
  world.run(milliseconds(2));
  EXPECT_EQ(a.released->why(), Why::error);
  EXPECT_TRUE(a.released->error().starts_with("WRONGTYPE")) << a.released->error();
}

TEST(SetNxPx, ExtendingProlongsTheLeaseAndTheDeadline) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", lease(milliseconds(100)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(50));
  const Hold hold = a.hold();
  a.extend(hold);
  world.run(milliseconds(60));
  ASSERT_TRUE(a.extended->yes());
  EXPECT_EQ(a.extended->value(), MonoTime{} + milliseconds(150));
  EXPECT_EQ(a.lock->deadline(hold), MonoTime{} + milliseconds(150));
  EXPECT_EQ(hold.deadline, MonoTime{} + milliseconds(100)) << "as granted";
  EXPECT_EQ(world.server.ask("PTTL", "door"), "91");
}

TEST(SetNxPx, WhatIsNotOursIsNotExtended) {
  LateHolder late("set-nx-px");
  late.a.extend(late.a.hold());
  late.world.run(milliseconds(130));
  EXPECT_EQ(late.a.extended->why(), Why::refused);
  EXPECT_EQ(late.a.lock->deadline(late.a.hold()), MonoTime{} + milliseconds(100));
  EXPECT_EQ(late.world.server.ask("PTTL", "door"), "91");
}

TEST(SetNxPx, EachHoldHasItsOwnDeadline) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px", lease(milliseconds(100)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(150));
  const Hold first = a.hold();
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(160));
  const Hold second = a.hold();
  ASSERT_NE(first.value, second.value);
  world.server.ask("SET", "door", first.value);  // resembles a restart with an old snapshot
  a.extend(first);
  world.run(milliseconds(170));
  EXPECT_TRUE(a.extended->yes());
  EXPECT_EQ(a.lock->deadline(first), first.deadline) << "a hold that is over is not kept track of";
  EXPECT_EQ(a.lock->deadline(second), second.deadline);
}

TEST(SetNxPxUnsafeDel, ALateReleaseFreesAnothersLock) {
  LateHolder late("set-nx-px-unsafe-del");
  ASSERT_TRUE(late.b.holds());
  late.a.release(late.a.hold());
  late.world.run(milliseconds(130));
  EXPECT_TRUE(late.a.released->yes());
  EXPECT_EQ(late.world.server.ask("EXISTS", "door"), "0");
}

TEST(SetNxPxFenced, TokensGrowFromGrantToGrant) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px-fenced", lease(milliseconds(100)));
  LabClient b(world.server, 2, "set-nx-px-fenced", lease(milliseconds(100)));
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(2));
  EXPECT_EQ(a.hold().token, 1);
  EXPECT_EQ(a.hold().deadline, MonoTime{} + milliseconds(100));
  b.acquire(Patience::unlimited(b.host()));
  world.run(milliseconds(150));
  EXPECT_EQ(b.hold().token, 2) << "refused attempts take no token";
  b.release(b.hold());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(170));
  EXPECT_EQ(a.hold().token, 3) << "a release keeps the counter";
}

TEST(SetNxPxFenced, AnUndoneGrantSkipsItsToken) {
  RedisLockLab world;
  LabClient a(world.server, 1, "set-nx-px-fenced");
  world.server.next(1, {Fate::reply_lost});
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(50));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.hold().token, 2);
}

}  // namespace
}  // namespace picklock
