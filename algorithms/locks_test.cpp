// Tests of every lock of the table.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "algorithms/lock.hpp"
#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::LabClient;
using testing::RedisLockLab;

// Locks that leave tasks behind, as their sources do: a renewal that nothing ends, a goroutine that
// waits for ever.
bool leaves_tasks_behind(std::string_view name) {
  const std::set<std::string_view> careless{"jedis-thread-name", "go-redis-lock", "redisson-seat-lock",
                                            "redisson-handmade-watchdog"};
  return careless.count(name) != 0;
}

// A lock that drops the answer to its request.
bool lets_everybody_in(std::string_view name) { return name == "redisson-handmade-watchdog"; }

class EveryLock : public ::testing::TestWithParam<std::string_view> {
 protected:
  const LockKind& kind() const { return *find_lock_kind(GetParam()); }
};

// The locks that RedisLockLab can run: those on Redis.  Locks of other services have labs of their own.
class EveryRedisLock : public EveryLock {};

std::vector<std::string_view> names_of(bool (*wanted)(const LockKind&)) {
  std::vector<std::string_view> names;
  for (const LockKind& kind : lock_kinds()) {
    if (wanted(kind)) names.push_back(kind.name);
  }
  return names;
}
std::string test_name(const ::testing::TestParamInfo<std::string_view>& test) {
  std::string name(test.param);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Locks, EveryLock, ::testing::ValuesIn(names_of([](const LockKind&) { return true; })),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Locks, EveryRedisLock,
                         ::testing::ValuesIn(names_of([](const LockKind& k) { return k.service == "redis"; })),
                         test_name);

// Collects the names of fields, and counts those whose bounds their own defaults break.
class Names {
 public:
  void operator()(const FieldInfo& f, bool&) { add(f); }
  void operator()(const FieldInfo& f, std::int64_t& v) { add(f), check(f, v); }
  void operator()(const FieldInfo& f, Duration& v) { add(f), check(f, v.ns); }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    add(f);
    if (v) check(f, v->ns);
  }
  void operator()(const FieldInfo& f, Law& v) { add(f), check(f, v.low()), check(f, v.high()); }
  void operator()(const FieldInfo& f, std::string&) { add(f); }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    add(f);
    ASSERT_LT(choice.index, choice.names.size()) << f.name;
    choices.emplace(f.name, choice.name());
  }
  std::map<std::string, std::string_view, std::less<>> choices;
  std::set<std::string, std::less<>> all;

 private:
  void add(const FieldInfo& f) {
    EXPECT_TRUE(all.emplace(f.name).second) << f.name << " is there twice";
    EXPECT_EQ(f.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), f.name.npos) << f.name;
    EXPECT_FALSE(f.help.empty() || f.help.ends_with('.')) << f.name;
  }
  void check(const FieldInfo& f, std::int64_t v) {
    EXPECT_GE(v, f.least) << f.name;
    EXPECT_LE(v, f.most) << f.name;
  }
};

TEST_P(EveryLock, DescribesItself) {
  EXPECT_EQ(kind().name, GetParam()) << "names are unique";
  EXPECT_FALSE(kind().summary.empty());
  EXPECT_FALSE(kind().source.empty());
  EXPECT_GE(kind().independent_servers, 1U);
}

TEST_P(EveryLock, ItsOptionsAreWellFormedAndTheirBoundsAreAmongThem) {
  const auto options = kind().default_options();
  Names names;
  visit_fields(*options, names);
  for (const AssumptionOf& assumption : kind().assumptions) {
    EXPECT_TRUE(assumption.parameter.empty() || names.all.count(assumption.parameter) ||
                assumption.parameter == "request-timeout")
        << assumption.name << " is bounded by " << assumption.parameter;
  }
}

// An undo that cannot tell whose lock it ends does harm, so it is never the default.
TEST_P(EveryLock, OnlyAnUndoThatProvesItsOwnershipIsTheDefault) {
  Names names;
  const auto options = kind().default_options();
  visit_fields(*options, names);
  if (!names.all.count("on-unknown")) return;  // decided by the algorithm
  const bool proves = kind().claims.releases_only_own && kind().claims.frees_after_crash;
  EXPECT_EQ(names.choices.at("on-unknown"), proves ? "undo" : "ignore");
}

TEST_P(EveryLock, WhatEndsByItselfHasALease) {
  const auto lease = kind().lease(*kind().default_options());
  EXPECT_TRUE(lease.has_value() || !kind().claims.frees_after_crash);
}

TEST_P(EveryRedisLock, AHoldThatEndsHasItsLease) {
  const auto lease = kind().lease(*kind().default_options());
  RedisLockLab world(RedisLockLab::servers_of(kind()));
  LabClient a(world.process(1), 1, GetParam());
  a.acquire(Patience::unlimited(a.host()));
  world.run(milliseconds(20));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.hold().deadline.has_value(), lease.has_value());
  if (lease) {
    EXPECT_LE(*a.hold().deadline, MonoTime{} + *lease) << "asked at 0";
    EXPECT_GE(*a.hold().deadline, MonoTime{} + *lease / 100 * 98) << "some allow for drift";
  }
  EXPECT_GE(a.hold().token.has_value(), kind().claims.token);
}

TEST_P(EveryRedisLock, OnACalmDayOneHoldsAfterTheOther) {
  constexpr int kClients = 4;
  RedisLockLab world(RedisLockLab::servers_of(kind()));
  std::vector<std::unique_ptr<LabClient>> clients;
  for (NodeId node = 1; node <= kClients; ++node) {
    clients.push_back(std::make_unique<LabClient>(world.process(node), 1, GetParam()));
    clients.back()->acquire(Patience::unlimited(clients.back()->host()));
  }
  int served = 0;
  for (std::int64_t ms = 1; ms < 7000; ++ms) {  // one of them sleeps 2 s between attempts
    world.run(milliseconds(ms));
    int holding = 0;
    for (auto& client : clients) holding += client->holds();
    ASSERT_LE(holding, lets_everybody_in(GetParam()) ? kClients : 1) << "at " << ms << " ms";
    if (ms % 50 != 0) continue;
    for (auto& client : clients) {
      if (!client->holds()) continue;
      client->release(client->hold());
      client->acquired.reset();
      ++served;
    }
  }
  EXPECT_EQ(served, kClients);
  world.run(seconds(60));  // timers that are still armed go off once more
  for (testing::LabServer& server : world.servers) EXPECT_EQ(server.ask("EXISTS", "door"), "0");
  if (leaves_tasks_behind(GetParam())) return;
  EXPECT_EQ(world.runtime.tasks(), 0U);
  EXPECT_EQ(world.runtime.waits(), 0U);
  EXPECT_EQ(world.runtime.arena().live(), 0U) << "no frame is left";
}

TEST_P(EveryRedisLock, CanBeAbandonedOrKilledAtAnyInstant) {
  for (const bool kill : {false, true}) {
    for (std::int64_t us = 0; us < 60'000; us += 250) {
      RedisLockLab world(RedisLockLab::servers_of(kind()));
      LabClient a(world.process(1), 1, GetParam());
      for (testing::LabServer& server : world.servers) {
        server.ask("SET", "door", "1");
        world.runtime.at(milliseconds(20).ns, [&server] { server.ask("DEL", "door"); });
        server.next(1, {testing::Fate::reply_lost, testing::Fate::request_lost});
      }
      if (kill) {
        a.acquire(Patience::unlimited(a.host()));
      } else {
        a.acquire_within(Patience::unlimited(a.host()), microseconds(us));
      }
      world.run(microseconds(us));
      if (kill || !a.holds()) world.runtime.kill(1);
      const std::size_t sent = world.commands();
      world.run(milliseconds(100));
      EXPECT_LE(world.commands(), sent + 2 * world.servers.size()) << "more than was under way, from " << us << " us";
    }
  }
}

TEST(LockTable, FindsByName) {
  EXPECT_EQ(find_lock_kind("set-nx-px")->name, "set-nx-px");
  EXPECT_EQ(find_lock_kind("nonesuch"), nullptr);
  EXPECT_EQ(find_lock_kind(""), nullptr);
}

}  // namespace
}  // namespace picklock
