// The products differ from Redlock; the tests show each difference on both sides.
#include <gtest/gtest.h>

#include "algorithms/redlock/node_redlock_4.hpp"
#include "algorithms/redlock/node_redlock_5.hpp"
#include "algorithms/redlock/pottery.hpp"
#include "algorithms/redlock/redlock_gem.hpp"
#include "algorithms/redlock/redlock_lab.hpp"
#include "algorithms/redlock/redlock_rb.hpp"
#include "algorithms/redlock/redlock_uniform_expiry.hpp"
#include "algorithms/redlock/redlock_with_mistakes.hpp"
#include "algorithms/redlock/redlock_with_token.hpp"
#include "algorithms/redlock/redsync.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::kAnswered;
using testing::kTtl;
using Servers = testing::RedlockServers;
using testing::LabClient;
template <class T>
using Client = testing::RedlockClient<T>;
using FencedClient = Client<RedlockFencedOptions>;
using PlainClient = Client<RedlockOptions>;

struct MistakenClient : Client<RedlockMistakes> {
  MistakenClient(Servers& servers, NodeId node, Edit edit)
      : RedlockClient(servers, node, std::move(edit), "redlock-with-mistakes") {}
};

TEST(RedlockWithMistakes, RefusesAGrantThatTookTheWholeLease) {
  for (const bool checks : {true, false}) {
    Servers s;
    s.lose_from(1, 0, Fate::slow);  // 10 ms there
    MistakenClient a(s, 1, [&](RedlockMistakes& o) {
      o.ttl = milliseconds(13);  // drift takes 2.13 ms of it
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

TEST(RedlockWithMistakes, ItsOwnLeftoversVoteAgainstItUnlessReleased) {
  for (const auto where : {ReleaseFailed::everywhere, ReleaseFailed::nowhere}) {
    Servers s;
    s.occupy(0, 3);
    MistakenClient a(s, 1, [&](RedlockMistakes& o) {
      o.release_failed = where;
      o.value_per = ValuePer::call;
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

TEST(RedlockWithMistakes, AQuorumOfTheReachableAdmitsTwo) {
  Servers s;
  MistakenClient a(s, 1, [](RedlockMistakes& o) { o.quorum_of = QuorumOf::reachable; });
  MistakenClient b(s, 2, [](RedlockMistakes& o) { o.quorum_of = QuorumOf::reachable; });
  for (std::size_t i = 0; i < 5; ++i) s.servers[i].next(i < 2 ? 2 : 1, {Fate::not_connected});
  a.once();
  b.once();
  s.run(kAnswered);
  EXPECT_TRUE(a.holds() && b.holds());
}

TEST(NodeRedlock5, GoesOnAtTheQuorumWhileTheOthersAreStillAsked) {
  Servers s;
  s.lose_from(1, 3, Fate::slow);
  Client<NodeRedlock5Options> a(s, 1, {}, "node-redlock-5");
  a.once();
  s.run(kAnswered);
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(s.holding(a.hold().value), 3U);
  s.run(milliseconds(15));
  EXPECT_EQ(s.holding(a.hold().value), 5U);
}

TEST(NodeRedlock5, AnEvenSplitIsSettledOnlyIfItIsToldTo) {
  for (const bool settles : {true, false}) {
    Servers s(4);
    s.occupy(0, 2);
    Client<NodeRedlock5Options> a(
        s, 1,
        [&](NodeRedlock5Options& o) {
          o.servers = 4;
          o.settles_on_tie = settles;
        },
        "node-redlock-5");
    a.once();
    s.run(seconds(60));
    EXPECT_EQ(a.acquired.has_value(), settles);
  }
}

TEST(NodeRedlock5, DoesNotLookAtTheClockAgain) {
  Servers s;
  s.lose_from(1, 0, Fate::slow);  // 10 ms there
  Client<NodeRedlock5Options> a(
      s, 1, [](NodeRedlock5Options& o) { o.ttl = milliseconds(13); }, "node-redlock-5");
  a.once();
  s.run(milliseconds(30));
  ASSERT_TRUE(a.holds());
  EXPECT_LT(*a.hold().deadline, MonoTime{} + milliseconds(13)) << "over before it began";
}

TEST(RedlockUniformExpiry, TouchesWhateverKeyIsThere) {
  Servers s;
  Client<RedlockUniformExpiryOptions> a(s, 1, {}, "redlock-uniform-expiry");
  a.once();
  s.run(milliseconds(10));  // the fifth has just granted
  s.servers[0].ask("SET", "door", "another", "PX", 5000);
  s.run(milliseconds(30));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(s.servers[0].ask("GET", "door"), "\"another\"");
  EXPECT_LT(std::stoi(s.servers[0].ask("PTTL", "door")), 1000) << "shortened by one who does not own it";
}

TEST(RedlockUniformExpiry, KeepsAMinorityAndReleasesALateMajority) {
  for (const bool keeps : {true, false}) {
    Servers s;
    s.occupy(0, 3);
    Client<RedlockUniformExpiryOptions> a(
        s, 1, [&](RedlockUniformExpiryOptions& o) { o.keeps_minority = keeps; }, "redlock-uniform-expiry");
    a.once();
    s.run(milliseconds(30));
    ASSERT_TRUE(a.acquired.has_value());
    EXPECT_FALSE(a.holds());
    EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), keeps ? "1" : "0");
  }
  Servers s;
  Client<RedlockUniformExpiryOptions> late(
      s, 1, [](RedlockUniformExpiryOptions& o) { o.ttl = milliseconds(9); }, "redlock-uniform-expiry");
  late.once();  // five round trips of 2 ms
  s.run(milliseconds(10));
  s.servers[4].ask("PEXPIRE", "door", 5000);
  s.run(milliseconds(40));
  ASSERT_TRUE(late.acquired.has_value());
  EXPECT_FALSE(late.holds());
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0");
}

TEST(RedlockUniformExpiry, TheWaitTimeIsChargedForPausesAlone) {
  for (const auto charge : {WaitTimeCharge::pauses, WaitTimeCharge::all}) {
    Servers s;
    s.occupy(0, 5);
    Client<RedlockUniformExpiryOptions> a(
        s, 1, [&](RedlockUniformExpiryOptions& o) { o.charge = charge; }, "redlock-uniform-expiry");
    a.acquire(Patience::lasting(a.host(), milliseconds(30)));  // pauses of 10 ms, attempts of 10 ms
    s.run(milliseconds(55));
    EXPECT_EQ(a.acquired.has_value(), charge == WaitTimeCharge::all);
    s.run(milliseconds(85));
    EXPECT_TRUE(a.acquired.has_value());
  }
}

// --- extensions

// The lock's keys are gone from three servers of five when `a` extends.
template <class T>
struct LostMajority : Servers {
  explicit LostMajority(std::string_view kind, typename Client<T>::Edit edit = {})
      : a(*this, 1, std::move(edit), kind) {
    a.once();
    run(milliseconds(20));
    for (std::size_t i = 0; i < 3; ++i) servers[i].ask("DEL", "door");
    a.extend(a.hold());
  }
  Client<T> a;
};

TEST(Redlock, AFailedExtensionLeavesTheRestOfTheLock) {
  LostMajority<RedlockOptions> s("redlock");
  s.run_on(milliseconds(20));
  EXPECT_TRUE(s.a.extended->refused());
  EXPECT_EQ(s.holding(s.a.hold().value), 2U);
}

TEST(NodeRedlock4, AFailedExtensionReleasesEverywhereWhileItsCallerStillWaits) {
  LostMajority<NodeRedlock4Options> s("node-redlock-4", [](NodeRedlock4Options& o) { o.attempts = 3; });
  s.run_on(milliseconds(5));
  EXPECT_EQ(s.holding(s.a.hold().value), 0U);
  EXPECT_FALSE(s.a.extended.has_value()) << "it tries again";
  s.run_on(milliseconds(100));
  EXPECT_TRUE(s.a.extended->refused());
}

TEST(RedlockGem, AFailedExtensionReleasesEverywhere) {
  LostMajority<RedlockGemOptions> s("redlock-gem", [](RedlockGemOptions& o) { o.extend_only_if_locked = true; });
  s.run_on(milliseconds(11));
  EXPECT_FALSE(s.a.extended.has_value()) << "the releases are under way";
  s.run_on(milliseconds(20));
  EXPECT_TRUE(s.a.extended->refused());
  EXPECT_EQ(s.holding(s.a.hold().value), 0U);
}

TEST(RedlockGem, AnExtensionSetsKeysThatAreGoneUnlessToldOtherwise) {
  for (const bool only_if_locked : {false, true}) {
    Servers s;
    Client<RedlockGemOptions> a(
        s, 1, [&](RedlockGemOptions& o) { o.extend_only_if_locked = only_if_locked; }, "redlock-gem");
    a.once();
    s.run(milliseconds(1500));
    ASSERT_EQ(s.holding(a.hold().value), 0U);
    a.extend(a.hold());
    s.run_on(milliseconds(40));
    EXPECT_EQ(a.extended->yes(), !only_if_locked);
    EXPECT_EQ(s.holding(a.hold().value), only_if_locked ? 0U : 5U);
  }
}

TEST(Redsync, AnExtensionSetsKeysThatAreGoneIfToldTo) {
  for (const bool sets : {false, true}) {
    Servers s;
    Client<RedsyncOptions> a(
        s, 1, [&](RedsyncOptions& o) { o.set_nx_on_extend = sets; }, "redsync");
    a.once();
    s.run(milliseconds(1500));
    a.extend(a.hold());
    s.run_on(kAnswered);
    EXPECT_EQ(a.extended->yes(), sets);
  }
}

TEST(Redsync, AServersTimeoutIsATwentiethOfTheLeaseUnlessOneIsGiven) {
  for (const Duration ttl : {seconds(1), seconds(8), seconds(60)}) {
    RedsyncOptions o;
    o.ttl = ttl;
    EXPECT_EQ(o.as_used().node_timeout, ttl / 20);
    o.node_timeout = milliseconds(7);
    EXPECT_EQ(o.as_used().node_timeout, milliseconds(7));
  }
}

TEST(RedlockRb, HasNoExtension) {
  Servers s;
  Client<RedlockRbOptions> a(s, 1, {}, "redlock-rb");
  a.once();
  s.run(milliseconds(20));
  const std::size_t commands = s.commands();
  a.extend(a.hold());
  s.run_on(milliseconds(20));
  EXPECT_TRUE(a.extended->refused());
  EXPECT_EQ(s.commands(), commands);
}

TEST(Pottery, AnExtensionCountsFromItsAnswer) {
  Servers s;
  Client<PotteryOptions> a(s, 1, {}, "pottery");
  a.once();
  s.run(kAnswered);
  s.lose_from(1, 0, Fate::slow);
  a.extend(a.hold());
  s.run_on(milliseconds(20));
  ASSERT_TRUE(a.extended->yes());
  EXPECT_EQ(a.extended->value(), MonoTime{} + kAnswered + milliseconds(11) + kTtl) << "asked 11 ms before";
}

TEST(NodeRedlock5, AnExtensionCountsFromItsStart) {
  Servers s;
  Client<NodeRedlock5Options> a(s, 1, {}, "node-redlock-5");
  a.once();
  s.run(kAnswered);
  s.lose_from(1, 0, Fate::slow);
  a.extend(a.hold());
  s.run_on(milliseconds(20));
  ASSERT_TRUE(a.extended->yes());
  EXPECT_EQ(a.extended->value(), MonoTime{} + kAnswered + kTtl - milliseconds(12));
}

TEST(NodeRedlock5, AndPotteryExtendAndReleaseAtTheQuorumWhereRedlockWaitsForAll) {
  for (const std::string_view kind : {"redlock", "pottery", "node-redlock-5"}) {
    Servers s;
    LabClient a(s.process(1), 1, kind);
    a.acquire(Patience::one_attempt(a.host()));
    s.run(kAnswered);
    s.lose_from(1, 3, Fate::request_lost);
    a.extend(a.hold());
    s.run_on(kAnswered);
    EXPECT_EQ(a.extended.has_value(), kind != "redlock") << kind;
    s.run_on(milliseconds(30));
    s.lose_from(1, 3, Fate::request_lost);
    a.release(a.hold());
    s.run_on(kAnswered);
    EXPECT_EQ(a.released.has_value(), kind != "redlock") << kind;
  }
}

TEST(Pottery, AFailureWaitsForAllServersAndNodeRedlock5DoesNot) {
  for (const std::string_view kind : {"pottery", "node-redlock-5"}) {
    Servers s;
    s.occupy(0, 3);
    s.lose_from(1, 4, Fate::request_lost);
    LabClient a(s.process(1), 1, kind);
    a.acquire(Patience::one_attempt(a.host()));
    s.run(milliseconds(10));
    EXPECT_EQ(a.acquired.has_value(), kind == "node-redlock-5") << kind;
    s.run(milliseconds(60));
    EXPECT_TRUE(a.acquired.has_value()) << kind;
  }
}

// --- node-redlock 5

TEST(NodeRedlock5, GivesBackWhatItHasWhenItGivesUpAndNotBefore) {
  Servers s;
  s.occupy(0, 3);
  Client<NodeRedlock5Options> a(
      s, 1, [](NodeRedlock5Options& o) { o.attempts = 2; }, "node-redlock-5");
  a.forever();
  s.run(milliseconds(5));  // the first attempt has failed
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "1");
  s.run(milliseconds(30));
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0");
}

TEST(NodeRedlock5, CountsALeaseFromTheCallOrFromTheAttempt) {
  for (const auto release : {NodeRedlock5Release::beta_2, NodeRedlock5Release::main}) {
    Servers s;
    s.occupy(0, 5);
    Client<NodeRedlock5Options> a(
        s, 1, [&](NodeRedlock5Options& o) { o.release = release; }, "node-redlock-5");
    a.forever();
    s.run(milliseconds(5));
    for (testing::LabServer& server : s.servers) server.ask("DEL", "door");
    s.run(milliseconds(20));
    ASSERT_TRUE(a.holds());  // the second attempt was granted, 12 ms after the first
    const Duration begun = release == NodeRedlock5Release::main ? milliseconds(12) : Duration{};
    EXPECT_EQ(*a.hold().deadline, MonoTime{} + begun + kTtl - milliseconds(12));
  }
}

TEST(NodeRedlock5, UsingExtendsHalfASecondBeforeTheEndAndTellsOfTheLossAtTheEnd) {
  Servers s;
  Client<NodeRedlock5Options> a(
      s, 1, [](NodeRedlock5Options& o) { o.renewal = true; }, "node-redlock-5");
  a.once();
  s.run(milliseconds(487));
  EXPECT_LT(std::stoi(s.servers[0].ask("PTTL", "door")), 520) << "Redlock would have extended after a third";
  s.run(milliseconds(495));  // 1000 - 12 - 500 after the ask
  EXPECT_GT(std::stoi(s.servers[0].ask("PTTL", "door")), 980);
  for (testing::LabServer& server : s.servers) server.ask("DEL", "door");
  s.run(milliseconds(1400));
  EXPECT_FALSE(a.lock->lost()->is_set()) << "it tries again until the lease has ended";
  s.run(milliseconds(1600));
  EXPECT_TRUE(a.lock->lost()->is_set());
}

TEST(NodeRedlock5, ReleasesALostLockAsOftenAsItAcquires) {
  Servers s;
  Client<NodeRedlock5Options> a(
      s, 1, [](NodeRedlock5Options& o) { o.attempts = 3; }, "node-redlock-5");
  a.once();
  s.run(kAnswered);
  for (testing::LabServer& server : s.servers) server.ask("DEL", "door");
  a.release(a.hold());
  s.run_on(milliseconds(20));
  EXPECT_FALSE(a.released.has_value());
  s.run_on(milliseconds(20));
  EXPECT_TRUE(a.released->refused());
}

// --- the gem

TEST(RedlockGem, AnErrorOfOneServerCountsAsANoOrEndsTheCall) {
  for (const auto release :
       {RedlockGemRelease::v0_2, RedlockGemRelease::v1_2, RedlockGemRelease::v2_0_1, RedlockGemRelease::v2_0_6}) {
    const bool raises = release == RedlockGemRelease::v0_2 || release == RedlockGemRelease::v2_0_1;
    Servers s;
    s.servers[2].next(1, {Fate::not_connected});
    Client<RedlockGemOptions> a(
        s, 1, [&](RedlockGemOptions& o) { o.release = release; }, "redlock-gem");
    a.forever();
    s.run(milliseconds(30));
    EXPECT_EQ(a.holds(), !raises);
    if (!raises) continue;
    EXPECT_TRUE(a.acquired->unknown());
    EXPECT_EQ(s.servers[1].ask("EXISTS", "door"), "1") << "what was set before the error stays";
    EXPECT_EQ(s.servers[3].ask("EXISTS", "door"), "0") << "nobody was asked after it";
  }
}

// The release sets the default; a number that is given beside it stays, even the other release's default.
TEST(RedlockGem, HasThreeAttemptsIn02AndFourLaterUnlessANumberIsGiven) {
  const auto commands_of = [](RedlockGemOptions options) {
    Servers s;
    for (auto& server : s.servers) server.ask("SET", "door", "another's");
    const std::size_t before = s.servers[0].log.size();
    Client<RedlockGemOptions> a(
        s, 1, [&](RedlockGemOptions& o) { o = options; }, "redlock-gem");
    a.forever();
    s.run(seconds(3));
    EXPECT_TRUE(a.acquired && !a.holds());
    return s.servers[0].log.size() - before;
  };
  RedlockGemOptions four = RedlockGemOptions::of(RedlockGemRelease::v0_2);
  four.attempts = 4;
  EXPECT_EQ(commands_of(RedlockGemOptions::of(RedlockGemRelease::v0_2)), 2U * 3U) << "each asks, and undoes";
  EXPECT_EQ(commands_of(RedlockGemOptions::of(RedlockGemRelease::v2_0_6)), 2U * 4U);
  EXPECT_EQ(commands_of(four), 2U * 4U);
}

TEST(RedlockWithToken, TokensOfTheCounterGrowAndThoseOfValuesAreUnique) {
  Servers s;
  FencedClient a(s, 1, {}, "redlock-fenced");
  PlainClient b(s, 2, {}, "redlock-unique-token"), c(s, 3, {}, "redlock-unique-token");
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

TEST(RedlockFenced, WithoutItsTokenThereIsNoGrant) {
  Servers s;
  s.servers[0].next(1, {Fate::answered, Fate::reply_lost});
  FencedClient a(s, 1, {}, "redlock-fenced");
  a.once();
  s.run(milliseconds(60));
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0");
}

TEST(RedlockFenced, AnyOneServerMayCount) {
  Servers s;
  Client<RedlockFencedOptions> a(
      s, 1, [](RedlockFencedOptions& o) { o.counter_server = 3; }, "redlock-fenced");
  a.once();
  s.run(milliseconds(10));
  EXPECT_EQ(a.hold().token, 1);
  EXPECT_EQ(s.servers[2].ask("GET", "door:token"), "\"1\"");
  EXPECT_EQ(s.servers[0].ask("EXISTS", "door:token"), "0");
}

}  // namespace
}  // namespace picklock
