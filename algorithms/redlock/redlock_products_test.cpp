// How the products differ from Redlock, each difference on both sides.
#include <gtest/gtest.h>

#include "algorithms/redlock/node_redlock_4.hpp"
#include "algorithms/redlock/node_redlock_5.hpp"
#include "algorithms/redlock/pottery.hpp"
#include "algorithms/redlock/redlock_lab.hpp"
#include "algorithms/redlock/redlock_rb.hpp"
#include "algorithms/redlock/redlock_uniform_expiry.hpp"
#include "algorithms/redlock/redlock_with_mistakes.hpp"

namespace picklock {
namespace {

using testing::Fate;
using testing::kAnswered;
using testing::kTtl;
using Servers = testing::RedlockServers;
template <class T>
using Client = testing::RedlockClient<T>;
using PlainClient = testing::RedlockClient<>;

struct MistakenClient : Client<RedlockMistakes> {
  MistakenClient(Servers& servers, NodeId node, Edit edit)
      : RedlockClient(servers, node, std::move(edit), "redlock-with-mistakes") {}
};

TEST(RedlockWithMistakes, RefusesAGrantThatTookTheWholeLease) {
  for (const bool checks : {true, false}) {
    Servers s;
    s.lose_from(1, 0, Fate::slow);  // 10 ms there
    MistakenClient a(s, 1, [&](RedlockMistakes& o) {
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

TEST(RedlockRb, AnExtensionSetsKeysThatAreGone) {
  Servers s;
  Client<RedlockRbOptions> a(s, 1, {}, "redlock-rb");
  a.once();
  s.run(milliseconds(1500));
  ASSERT_EQ(s.holding(a.hold().value), 0U);
  a.extend(a.hold());
  s.run_on(milliseconds(20));
  EXPECT_TRUE(a.extended->yes());
  EXPECT_EQ(s.holding(a.hold().value), 5U);
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

TEST(RedlockWithToken, TokensOfTheCounterGrowAndThoseOfValuesAreUnique) {
  Servers s;
  PlainClient a(s, 1, {}, "redlock-fenced"), b(s, 2, {}, "redlock-unique-token"), c(s, 3, {}, "redlock-unique-token");
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
  PlainClient a(s, 1, {}, "redlock-fenced");
  a.once();
  s.run(milliseconds(60));
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0");
}

}  // namespace
}  // namespace picklock
