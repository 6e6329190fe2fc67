// The owner by a service of several servers: a majority, a master and its replica, a cluster.

#include "scenarios/services/redis/redis_grants.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/services/redis/redis_records_lab.hpp"

namespace picklock {
namespace {

TEST(Majority, OwnsFromTheInstantOnAtWhichMoreThanHalfNameIt) {
  const std::string two = R"(
      1 set 7 ttl 100 server 1
      2 set 7 ttl 100 server 2)";
  const std::string three = two + R"(
      3 set 7 ttl 100 server 3)";
  const std::string four = three + R"(
      4 set 7 ttl 100 server 4)";
  EXPECT_EQ(of_all(RedisOwnership::key, independent(5), two), "");
  EXPECT_EQ(of_all(RedisOwnership::key, independent(5), three), "begin 7 at 3 until 101")
      << "three promise until then, two until later";
  EXPECT_EQ(of_all(RedisOwnership::key, independent(5), four), "begin 7 at 3 until 101; extend 7 at 4 until 102");
}

// Three servers of however many name hold 7.
const std::string kThree = R"(
      1 set 7 ttl 100 server 1
      2 set 7 ttl 100 server 2
      3 set 7 ttl 100 server 3)";

TEST(Majority, AReleaseEndsThePromiseOnceTooFewAreLeftToPromise) {
  EXPECT_EQ(of_all(RedisOwnership::key, independent(3), kThree + R"(
      50 deleted 7 server 1
      51 deleted 7 server 2)"),
            "begin 7 at 2 until 101; extend 7 at 3 until 102; released 7 at 51");
}

// The keys at 1 and 2 have expired, the third one is deleted: what 4 and 5 still promise is no majority's promise.
TEST(Majority, AReleaseEndsThePromiseIfTheRestHasExpired) {
  EXPECT_EQ(of_all(RedisOwnership::key, independent(5), R"(
      1 set 7 ttl 100 server 1
      20 set 7 ttl 100 server 2
      50 set 7 ttl 100 server 3
      60 set 7 ttl 100 server 4
      70 set 7 ttl 100 server 5
      101 expired 0 server 1
      120 expired 0 server 2
      130 deleted 7 server 3)"),
            "begin 7 at 50 until 101; extend 7 at 60 until 120; extend 7 at 70 until 150; released 7 at 130");
}

TEST(Majority, AServerThatForgetsLeavesThePromise) {
  EXPECT_EQ(of_all(RedisOwnership::key, independent(5), kThree + R"(
      20 restarts 0 server 3
      23 set 8 ttl 100 server 3
      24 set 8 ttl 100 server 4
      25 set 8 ttl 100 server 5)"),
            "begin 7 at 3 until 101; end 7 by nobody at 20; begin 8 at 25 until 123")
      << "a double grant, to the property";
}

TEST(Majority, AWrongReleaseOfAMinorityIsAMarkAndEndsNothing) {
  EXPECT_EQ(of_all(RedisOwnership::key, independent(3), kThree + R"(
      30 deleted 8 server 1)"),
            "begin 7 at 2 until 101; extend 7 at 3 until 102; wrong-release 7 by 8 at 30");
}

TEST(Majority, AServerThatComesBackWithItsDataNamesItsOwnerAgain) {
  EXPECT_EQ(of_all(RedisOwnership::key, independent(3), R"(
      1 set 7 ttl 100 server 1
      2 set 7 ttl 100 server 2
      20 dies 0 server 2
      30 restarts 1 server 2
      40 deleted 7 server 1)"),
            "begin 7 at 2 until 101; end 7 by nobody at 20; begin 7 by nobody at 30 until 101; released 7 at 40");
}

// The rule once more, said as plainly as possible: the hold that more than half of the servers name.
TEST(Majority, AgreesWithCountingAtEveryInstant) {
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  int owners_seen = 0;
  for (int round = 0; round < 300; ++round) {
    const auto servers = static_cast<std::uint32_t>(3 + 2 * draw(2));
    RedisRecords s(RedisOwnership::key, independent(servers));
    std::vector<HoldId> names(servers + 1, kNoHold);
    for (std::int64_t t = 1; t <= 60; ++t) {
      const std::uint64_t n = 1 + draw(servers), by = 1 + draw(3);
      const bool restarts = draw(6) == 0, sets = !restarts && names[n] == kNoHold;
      const bool deletes = !restarts && !sets && draw(2) == 0;
      const std::string change = restarts  ? "restarts 0"
                                 : sets    ? "set " + std::to_string(by) + " ttl 1000"
                                 : deletes ? "deleted " + std::to_string(by)
                                           : "expired 0";
      RecordLine line(std::to_string(t) + " " + change + " server " + std::to_string(n));
      s.play(line);
      names[n] = sets ? static_cast<HoldId>(by) : kNoHold;
      HoldId named = kNoHold;
      for (HoldId h = 1; h <= 3; ++h) {
        if (std::count(names.begin() + 1, names.end(), h) * 2 > static_cast<std::ptrdiff_t>(servers)) named = h;
      }
      HoldId owner = kNoHold;
      for (const GrantEvent& g : s.grants()) {
        if (g.change == GrantChange::begin) owner = g.hold;
        const bool ends = g.change == GrantChange::end || g.change == GrantChange::released;
        if (ends && g.hold == owner) owner = kNoHold;
      }
      owners_seen += owner != kNoHold;
      ASSERT_EQ(owner, named) << "round " << round << ", at " << t << ": " << s.said(true);
    }
  }
  EXPECT_GT(owners_seen, 1000);
}

TEST(Replicas, ACopyCountsFromItsPromotionOn) {
  const std::string promoted = R"(
      10 set 7 ttl 100
      11 set 7 ttl 99 server 2
      50 master 1 server 2)";  // the second from the stream
  const std::string alone = promoted + R"(
      60 master 0 server 1)";
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, promoted), "begin 7 at 10 until 110")
      << "named by both masters now, promised as before";
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, alone), "begin 7 at 10 until 110")
      << "the new master still names it";
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, alone + R"(
      80 deleted 7 server 2)"),
            "begin 7 at 10 until 110; released 7 at 80");
}

TEST(Replicas, ALockThatTheReplicaHadNotHeardOfIsGrantedTwice) {
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, R"(
      10 set 7 ttl 100
      50 master 1 server 2
      60 set 8 ttl 100 server 2
      70 master 0 server 1)"),
            "begin 7 at 10 until 110; begin 8 at 60 until 160; end 7 by nobody at 70")
      << "its data are discarded, its promise is not";
}

TEST(Replicas, ADelLostInFailoverBringsBackWhoHadReleased) {
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, R"(
      10 set 7 ttl 100
      11 set 7 ttl 99 server 2
      20 deleted 7
      30 master 1 server 2)"),
            "begin 7 at 10 until 110; released 7 at 20; begin 7 by nobody at 30")
      << "named again, and promised nothing";
}

TEST(Replicas, ADeadMasterNamesNobody) {
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, R"(
      10 set 7 ttl 100
      11 set 7 ttl 99 server 2
      20 dies 0 server 1
      30 master 1 server 2
      40 deleted 7 server 2)"),
            "begin 7 at 10 until 110; end 7 by nobody at 20; begin 7 by nobody at 30 until 110; released 7 at 40");
}

TEST(Replicas, AReplicaThatIsResynchronizedNamesWhomItsMasterNames) {
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, R"(
      10 set 7 ttl 100
      20 resynced 2 server 2
      50 master 1 server 2
      51 master 0 server 1
      60 deleted 7 server 2)"),
            "begin 7 at 10 until 110; released 7 at 60");
}

// --- clusters ----------------------------------------------------------------------------------------

// A master that refuses every command names no owner; its promise stays, and the next owner is a double grant.
TEST(Clusters, AMasterThatRefusesNamesNobody) {
  const std::string refuses = R"(
      10 set 7 ttl 100
      30 serves 0)";
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, refuses), "begin 7 at 10 until 110; end 7 by nobody at 30");
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, refuses + R"(
      50 master 1 server 2
      60 set 8 ttl 100 server 2)"),
            "begin 7 at 10 until 110; end 7 by nobody at 30; begin 8 at 60 until 160");
}

TEST(Clusters, OneThatAnswersAgainNamesWhomItDid) {
  EXPECT_EQ(of_all(RedisOwnership::key, kReplicated, R"(
      10 set 7 ttl 100
      30 serves 0
      40 serves 1)"),
            "begin 7 at 10 until 110; end 7 by nobody at 30; begin 7 by nobody at 40 until 110");
}

TEST(Clusters, AnotherShardHasNoSay) {
  const std::vector<RedisPlace> shards = {{0, false, true}, {0, false}};
  const std::string elsewhere = R"(
      10 set 7 ttl 100)";
  EXPECT_EQ(of_all(RedisOwnership::key, shards, elsewhere), "");
  EXPECT_EQ(of_all(RedisOwnership::key, shards, elsewhere + R"(
      20 set 8 ttl 100 server 2
      30 serves 0)"),
            "begin 8 at 20 until 120");
}

}  // namespace
}  // namespace picklock
