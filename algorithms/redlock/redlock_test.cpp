#include "algorithms/redlock/redlock.hpp"

#include <gtest/gtest.h>

#include "algorithms/redlock/redlock_lab.hpp"

namespace picklock {
namespace redlock_test {

using testing::Fate;
using testing::kAnswered;
using testing::kTtl;
using Servers = testing::RedlockServers;
using PageClient = testing::RedlockClient<>;

TEST(Redlock, AllServersGrantAndTheDriftIsTakenOffTheLease) {
  Servers s;
  PageClient a(s, 1);
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
    PageClient a(s, 1);
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
  PageClient a(s, 1);
  a.once();
  s.run(milliseconds(25));  // the toy's own timeout is 20 ms
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.hold().deadline, MonoTime{} + kTtl - milliseconds(12)) << "counted from the ask";
}

TEST(Redlock, WhatNobodyAnsweredIsUndoneAsWell) {
  Servers s;
  s.occupy(0, 2);
  s.lose_from(1, 2, Fate::reply_lost);
  PageClient a(s, 1);
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
  PageClient a(s, 1);
  a.once();
  s.run(milliseconds(60));
  EXPECT_TRUE(a.acquired->refused()) << "two orphans are no majority";
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "1");
}

TEST(Redlock, WithAMajorityOfLateSetsTheAnswerIsUnknown) {
  Servers s;
  s.lose_from(1, 0, Fate::late);
  PageClient a(s, 1);
  a.once();
  s.run(milliseconds(60));
  EXPECT_TRUE(a.acquired->unknown());
}

TEST(Redlock, SequentialContactAsksOneAfterTheOther) {
  Servers s;
  PageClient a(s, 1, [](RedlockOptions& o) { o.contact = Contact::sequential; });
  a.once();
  s.run(milliseconds(9));
  EXPECT_FALSE(a.acquired.has_value());
  s.run(milliseconds(10));  // five round trips of 2 ms
  EXPECT_TRUE(a.holds());
}

TEST(Redlock, ExtendsWithAMajorityAndACountedNumberOfTimes) {
  Servers s;
  PageClient a(s, 1, [](RedlockOptions& o) { o.extensions = 1; });
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

TEST(Redlock, RenewalTellsOfTheLoss) {
  Servers s;
  PageClient a(s, 1, [](RedlockOptions& o) { o.renewal = true; });
  a.once();
  s.run(kAnswered);
  for (testing::LabServer& server : s.servers) server.ask("DEL", "door");
  s.run(milliseconds(400));
  EXPECT_TRUE(a.lock->lost()->is_set());
}

TEST(Redlock, AGrantThatTookTheWholeLeaseIsUndone) {
  Servers s;
  s.lose_from(1, 0, Fate::slow);                                            // 10 ms there
  PageClient a(s, 1, [](RedlockOptions& o) { o.ttl = milliseconds(13); });  // drift takes 2.13 ms of it
  a.once();
  s.run(milliseconds(30));
  ASSERT_TRUE(a.acquired.has_value());
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(s.servers[4].ask("EXISTS", "door"), "0");
}

TEST(Redlock, AnExtensionIsRefusedAfterItsOwnExpiryAndWithoutAMajority) {
  for (const bool expires : {true, false}) {
    Servers s;
    PageClient a(s, 1);
    a.once();
    s.run(expires ? milliseconds(1500) : kAnswered);
    for (std::size_t i = 0; i < 3; ++i) s.servers[i].ask("DEL", "door");
    a.extend(a.hold());
    s.run_on(kAnswered);
    ASSERT_TRUE(a.extended.has_value());
    EXPECT_TRUE(a.extended->refused());
    EXPECT_EQ(s.holding(a.hold().value), expires ? 0U : 2U);
  }
}

}  // namespace redlock_test
}  // namespace picklock
