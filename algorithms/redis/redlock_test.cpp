#include "algorithms/redis/redlock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::LabClient;
using testing::LabServer;
using testing::options_of;
using testing::RedisLockLab;

constexpr Duration kTtl = milliseconds(1000);  // of which 12 ms are allowed for drift
constexpr Duration kAnswered = milliseconds(3);

struct Servers : RedisLockLab {
  explicit Servers(std::size_t n = 5) : RedisLockLab(n) {}
  void lose_from(NodeId node, std::size_t first, Fate fate, std::size_t how_often = 1) {
    for (std::size_t i = first; i < servers.size(); ++i) {
      servers[i].next(node, std::deque<Fate>(how_often, fate));
    }
  }
  std::size_t holding(const std::string& value) {
    std::size_t n = 0;
    for (LabServer& s : servers) n += s.ask("GET", "door") == '"' + value + '"';
    return n;
  }
  std::string occupy(std::size_t first, std::size_t end, const char* by = "someone") {
    for (std::size_t i = first; i < end; ++i) servers[i].ask("SET", "door", by);
    return by;
  }
};

auto with(std::function<void(RedlockOptions&)> edit = {}) {
  return options_of<RedlockOptions>([edit](RedlockOptions& o) {
    o.ttl = kTtl;
    o.retry = Law::constant(milliseconds(10));
    if (edit) edit(o);
  });
}

struct Client : LabClient {
  Client(Servers& servers, NodeId node, std::function<void(RedlockOptions&)> edit = {},
         std::string_view kind = "redlock")
      : LabClient(servers.process(node), 1, kind, with(std::move(edit))) {}
  void once() { acquire(Patience::one_attempt(host())); }
  void forever() { acquire(Patience::unlimited(host())); }
};

TEST(Redlock, AllServersGrantAndTheDriftIsTakenOffTheLease) {
  Servers s;
  Client a(s, 1);
  a.once();
  s.run(kAnswered);
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(s.holding(a.hold().value), 5U);
  EXPECT_EQ(a.hold().deadline, MonoTime{} + kTtl - milliseconds(12));
  EXPECT_EQ(a.hold().token, std::nullopt);
  a.release(a.hold());
  s.run(kAnswered * 2);
  EXPECT_TRUE(a.released->yes());
  EXPECT_EQ(s.holding(a.hold().value), 0U);
}

TEST(Redlock, AMajorityIsEnoughAndOneLessIsNot) {
  for (const std::size_t taken : {2U, 3U}) {
    Servers s;
    const std::string other = s.occupy(0, taken);
    Client a(s, 1);
    a.once();
    s.run(milliseconds(10));
    EXPECT_EQ(a.holds(), taken == 2);
    EXPECT_EQ(s.holding(other), taken) << "another's values stay";
    if (taken == 3) {
      EXPECT_TRUE(a.acquired->refused());
      EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0") << "what it had been granted is undone";
    }
  }
}

TEST(Redlock, WaitsNoLongerThanTheNodeTimeoutForADeadServer) {
  Servers s;
  s.lose_from(1, 3, Fate::request_lost);
  Client a(s, 1);
  a.once();
  s.run(milliseconds(25));  // the lab's own timeout is 20 ms
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.hold().deadline, MonoTime{} + kTtl - milliseconds(12)) << "counted from the ask";
}

TEST(Redlock, WhatNobodyAnsweredIsUndoneAsWell) {
  Servers s;
  s.occupy(0, 2);
  s.lose_from(1, 2, Fate::reply_lost);
  Client a(s, 1);
  a.once();
  s.run(milliseconds(60));
  EXPECT_FALSE(a.holds());
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(s.servers[i].ask("EXISTS", "door"), "0") << i;
  EXPECT_TRUE(a.acquired->refused()) << "every release found the value: nothing is open";
}

TEST(Redlock, ASetThatArrivesAfterItsReleaseLeavesAnOrphan) {
  Servers s;
  s.occupy(0, 3);
  s.lose_from(1, 3, Fate::late);
  Client a(s, 1);
  a.once();
  s.run(milliseconds(60));
  EXPECT_TRUE(a.acquired->refused()) << "two orphans are no majority";
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "1");
}

TEST(Redlock, WithAMajorityOfLateSetsTheAnswerIsUnknown) {
  Servers s;
  s.lose_from(1, 0, Fate::late);
  Client a(s, 1);
  a.once();
  s.run(milliseconds(60));
  EXPECT_TRUE(a.acquired->unknown());
}

TEST(Redlock, RefusesAGrantThatTookTheWholeLease) {
  for (const bool checks : {true, false}) {
    Servers s;
    s.lose_from(1, 0, Fate::slow);  // 10 ms there
    Client a(s, 1, [&](RedlockOptions& o) {
      o.ttl = milliseconds(13);  // and 2.13 ms of it for drift
      o.check_validity = checks;
    });
    a.once();
    s.run(milliseconds(30));
    EXPECT_EQ(a.holds(), !checks);
    if (!checks) {
      EXPECT_LT(*a.hold().deadline, MonoTime{} + milliseconds(13)) << "over before it began";
    }
  }
}

TEST(Redlock, ItsOwnLeftoversVoteAgainstItUnlessReleased) {
  for (const auto where : {ReleaseFailed::everywhere, ReleaseFailed::nowhere}) {
    Servers s;
    s.occupy(0, 3);
    Client a(s, 1, [&](RedlockOptions& o) {
      o.release_failed = where;
      o.value_per = PerWhat::call;
      o.attempts = 5;
    });
    a.forever();
    s.run(milliseconds(2));
    for (int i = 0; i < 3; ++i) s.servers[static_cast<std::size_t>(i)].ask("DEL", "door");
    s.occupy(0, 1);  // four of five are free, two of them but for our own leftovers
    s.occupy(1, 2);
    s.run(milliseconds(200));
    EXPECT_EQ(a.holds(), where == ReleaseFailed::everywhere);
  }
}

TEST(Redlock, GoesOnAtTheQuorumWhileTheOthersAreStillAsked) {
  Servers s;
  s.lose_from(1, 3, Fate::slow);
  Client a(s, 1, [](RedlockOptions& o) { o.after_quorum = AfterQuorum::go_on; });
  a.once();
  s.run(kAnswered);
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(s.holding(a.hold().value), 3U);
  s.run(milliseconds(15));
  EXPECT_EQ(s.holding(a.hold().value), 5U);
}

TEST(Redlock, AnEvenSplitNeverSettlesForSome) {
  for (const bool settles : {true, false}) {
    Servers s(4);
    s.occupy(0, 2);
    Client a(s, 1, [&](RedlockOptions& o) {
      o.servers = 4;
      o.after_quorum = AfterQuorum::go_on;
      o.settles_on_tie = settles;
    });
    a.once();
    s.run(seconds(60));
    EXPECT_EQ(a.acquired.has_value(), settles);
  }
}

TEST(Redlock, AQuorumOfTheReachableAdmitsTwo) {
  Servers s;
  Client a(s, 1, [](RedlockOptions& o) { o.quorum_of = QuorumOf::reachable; });
  Client b(s, 2, [](RedlockOptions& o) { o.quorum_of = QuorumOf::reachable; });
  for (std::size_t i = 0; i < 5; ++i) s.servers[i].next(i < 2 ? 2 : 1, {Fate::not_connected});
  a.once();
  b.once();
  s.run(kAnswered);
  EXPECT_TRUE(a.holds() && b.holds());
}

TEST(Redlock, SequentialContactAsksOneAfterTheOther) {
  Servers s;
  Client a(s, 1, [](RedlockOptions& o) { o.contact = Contact::sequential; });
  a.once();
  s.run(milliseconds(9));
  EXPECT_FALSE(a.acquired.has_value());
  s.run(milliseconds(10));  // five round trips of 2 ms
  EXPECT_TRUE(a.holds());
}

TEST(Redlock, UniformExpiryTouchesWhateverKeyIsThere) {
  Servers s;
  Client a(s, 1, {}, "redlock-uniform-expiry");
  a.once();
  s.run(milliseconds(10));  // the fifth has just granted
  s.servers[0].ask("SET", "door", "another", "PX", 5000);
  s.run(milliseconds(30));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(s.servers[0].ask("GET", "door"), "\"another\"");
  EXPECT_LT(std::stoi(s.servers[0].ask("PTTL", "door")), 1000) << "shortened by one who does not own it";
}

TEST(Redlock, ExtendsWithAMajorityAndACountedNumberOfTimes) {
  Servers s;
  Client a(s, 1, [](RedlockOptions& o) { o.extensions = 1; });
  a.once();
  s.run(milliseconds(500));
  a.extend(a.hold());
  s.run(milliseconds(503));
  ASSERT_TRUE(a.extended->yes());
  EXPECT_EQ(a.extended->value(), MonoTime{} + milliseconds(500) + kTtl - milliseconds(12));
  EXPECT_EQ(a.lock->deadline(a.hold()), a.extended->value());
  a.extend(a.hold());
  s.run(milliseconds(506));
  EXPECT_TRUE(a.extended->refused());
}

TEST(Redlock, ExtensionAfterItsOwnExpiryIsRefusedOrResurrects) {
  for (const bool recreates : {false, true}) {
    Servers s;
    Client a(s, 1, [&](RedlockOptions& o) { o.extend_expired = o.set_on_extend = recreates; });
    a.once();
    s.run(milliseconds(1500));
    ASSERT_EQ(s.holding(a.hold().value), 0U);
    a.extend(a.hold());
    s.run(milliseconds(1503));
    EXPECT_EQ(a.extended->yes(), recreates);
    EXPECT_EQ(s.holding(a.hold().value), recreates ? 5U : 0U);
  }
}

TEST(Redlock, AnUncheckedExtensionBelievesWithoutAMajority) {
  for (const auto rule : {ExtendRule::unchecked, ExtendRule::majority, ExtendRule::within_validity}) {
    Servers s;
    Client a(s, 1, [&](RedlockOptions& o) { o.extend_rule = rule; });
    a.once();
    s.run(kAnswered);
    for (std::size_t i = 0; i < 3; ++i) s.servers[i].ask("DEL", "door");
    a.extend(a.hold());
    s.run(kAnswered * 2);
    EXPECT_EQ(a.extended->yes(), rule == ExtendRule::unchecked);
  }
}

TEST(Redlock, RenewalTellsOfTheLoss) {
  Servers s;
  Client a(s, 1, [](RedlockOptions& o) { o.renewal = true; });
  a.once();
  s.run(kAnswered);
  for (LabServer& server : s.servers) server.ask("DEL", "door");
  s.run(milliseconds(400));
  EXPECT_TRUE(a.lock->lost()->is_set());
}

TEST(Redlock, TokensOfTheCounterGrowAndThoseOfValuesAreUnique) {
  Servers s;
  Client a(s, 1, {}, "redlock-fenced"), b(s, 2, {}, "redlock-unique-token"), c(s, 3, {}, "redlock-unique-token");
  for (std::int64_t n = 1; n <= 3; ++n) {
    a.forever();
    s.run(milliseconds(100) * n - milliseconds(50));
    EXPECT_EQ(a.hold().token, n);
    a.release(a.hold());
    s.run(milliseconds(100) * n);
  }
  b.forever();
  s.run(milliseconds(350));
  b.release(b.hold());
  s.run(milliseconds(360));
  c.forever();
  s.run(milliseconds(400));
  EXPECT_NE(b.hold().token, c.hold().token);
}

TEST(Redlock, WithoutItsTokenThereIsNoGrant) {
  Servers s;
  s.servers[0].next(1, {Fate::answered, Fate::reply_lost});
  Client a(s, 1, {}, "redlock-fenced");
  a.once();
  s.run(milliseconds(60));
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0");
}

}  // namespace
}  // namespace picklock
