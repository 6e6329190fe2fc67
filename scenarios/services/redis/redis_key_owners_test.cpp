// The owner by one server's copy of a key: a key, a stamp, a hash, a hash with timers.

#include <gtest/gtest.h>

#include "scenarios/services/redis/redis_records_lab.hpp"

namespace picklock {
namespace {

TEST(Keys, SetRenewAndReleaseByTheOwner) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      50 ttl-set 1 ttl 100
      60 deleted 1)"),
            "begin 1 until 110; extend 1 until 150; released 1");
}

TEST(Keys, OtherKeysDoNotMatter) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 key lock:token
      10 changed 1 key lock:token)"),
            "");
}

TEST(Keys, AKeyWithoutExpiryIsPromisedForEver) {
  EXPECT_EQ(of_one(RedisOwnership::key, "10 set 1"), "begin 1 for ever");
}

TEST(Keys, CommandsOfOthersAreWrong) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 ttl-set 2 ttl 100
      30 deleted 2)"),
            "begin 1 until 110; wrong-renewal 1 by 2 until 120; extend 1 by 2 until 120; wrong-release 1 by 2; "
            "end 1 by 2");
}

// INCR, APPEND and SETRANGE leave the deadline as it is; so does a SET that keeps the time to live.
TEST(Keys, WhatLeavesTheDeadlineRenewsNothing) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 changed 2 ttl 90
      30 changed 1 ttl 80
      40 ttl-set 2 ttl 70
      50 overwritten 1 ttl 60)"),
            "begin 1 until 110");
}

TEST(Keys, WhoShortensAnothersTimeTakesFromIt) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 ttl-set 2 ttl 30)"),
            "begin 1 until 110; wrong-release 1 by 2; extend 1 by 2 until 50");
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 ttl-set 1 ttl 30)"),
            "begin 1 until 110; extend 1 until 50");
}

// The lease is 100 ms: a renewal gives no more, whichever client sends it.
TEST(Keys, WhoSetsAWholeLeaseAnewTakesNothingButRenewsAnothersHold) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 200
      20 ttl-set 2 ttl 100)"),
            "begin 1 until 210; wrong-renewal 1 by 2 until 120; extend 1 by 2 until 120");
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 200
      20 ttl-set 2 ttl 98)"),
            "begin 1 until 210; wrong-release 1 by 2; extend 1 by 2 until 118");
}

TEST(Keys, WhoTakesADeadlineAwayRenews) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 ttl-set 2)"),
            "begin 1 until 110; wrong-renewal 1 by 2 for ever; extend 1 by 2 for ever")
      << "PERSIST";
}

TEST(Keys, TheSameClientsOtherHoldCountsAsAnother) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 7 ttl 100
      120 expired 0
      130 set 8 ttl 100
      140 deleted 7)"),
            "begin 7 until 110; end 7 by nobody; begin 8 until 230; wrong-release 8 by 7; end 8 by 7");
}

TEST(Keys, ARestartWithoutTheKeyEndsTheOwnershipAndNotThePromise) {
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 restarts 0
      30 set 2 ttl 100)"),
            "begin 1 until 110; end 1 by nobody; begin 2 until 130");
  EXPECT_EQ(of_one(RedisOwnership::key, R"(
      10 set 1 ttl 100
      20 restarts 1
      40 deleted 1)"),
            "begin 1 until 110; released 1");
}

TEST(Keys, AGetsetOverAnExpiredStampTakesTheLockOver) {
  EXPECT_EQ(of_one(RedisOwnership::stamp, R"(
      10 stamp-set 1 at 110
      110 stamp-overwritten 2 at 210)"),
            "begin 1 until 110; end 1 by 2; begin 2 until 210")
      << "at its stamp, a stamp has expired";
}

TEST(Keys, AGetsetOverAValidStampProlongsItsOwner) {
  EXPECT_EQ(of_one(RedisOwnership::stamp, R"(
      10 stamp-set 1 at 110
      109 stamp-overwritten 2 at 209)"),
            "begin 1 until 110; wrong-renewal 1 by 2 until 209; extend 1 by 2 until 209");
}

TEST(Keys, ClearingAStaleStampAwayTakesNothing) {
  EXPECT_EQ(of_one(RedisOwnership::stamp, R"(
      10 stamp-set 1 at 110
      111 deleted 2)"),
            "begin 1 until 110; end 1 by 2");
  EXPECT_EQ(of_one(RedisOwnership::stamp, R"(
      10 stamp-set 1 at 110
      100 deleted 2)"),
            "begin 1 until 110; wrong-release 1 by 2; end 1 by 2");
}

// --- a hash ----------------------------------------------------------------------------------------

TEST(Fields, AReentrantLockIsReleasedByItsLastDecrement) {
  EXPECT_EQ(of_all(RedisOwnership::fields, independent(1), R"(
      10 number 7 field uuid:1 is 1
      10 set 7
      10 ttl-set 7 ttl 100
      20 number 7 field uuid:1 is 2
      20 changed 7 ttl 90
      30 number 7 field uuid:1 is 1
      30 decremented 7 ttl 80
      40 deleted 7)"),
            "begin 7 at 10 for ever; extend 7 at 10 until 110; released 7 at 40");
}

TEST(Fields, ReadersOwnTogetherAndEachReleasesItsOwn) {
  EXPECT_EQ(of_all(RedisOwnership::fields, independent(1), R"(
      10 number 7 field uuid:1 is 1
      10 set 7 ttl 100
      20 number 8 field uuid:2 is 1
      20 changed 8 ttl 90
      20 ttl-set 8 ttl 100
      30 removes 7 field uuid:1
      30 changed 7 ttl 90
      40 expired 0)"),
            "begin 7 at 10 until 110; begin 8 at 20 until 110; extend 7 by 8 at 20 until 120; "
            "extend 8 at 20 until 120; released 7 at 30; end 8 by nobody at 40");
}

TEST(Fields, WhoDecrementsOrRemovesAnothersDoesWrong) {
  EXPECT_EQ(of_all(RedisOwnership::fields, independent(1), R"(
      10 number 7 field uuid:1 is 2
      10 set 7 ttl 100
      20 number 8 field uuid:1 is 1
      20 decremented 8 ttl 90
      30 ttl-set 8 ttl 100
      40 removes 8 field uuid:1
      40 deleted 8)"),
            "begin 7 at 10 until 110; wrong-release 7 by 8 at 20; wrong-renewal 7 by 8 at 30 until 130; "
            "extend 7 by 8 at 30 until 130; wrong-release 7 by 8 at 40; end 7 by 8 at 40");
}

// HSET and HINCRBY leave the deadline of the hash as it is.
TEST(Fields, AFieldThatIsWrittenRenewsNothing) {
  EXPECT_EQ(of_all(RedisOwnership::fields, independent(1), R"(
      10 number 7 field uuid:1 is 1
      10 set 7 ttl 100
      20 number 8 field waiters is 1
      20 changed 8 ttl 90
      30 number 8 field waiters is 2
      30 changed 8 ttl 80)"),
            "begin 7 at 10 until 110; begin 8 at 20 until 110");
}

TEST(Fields, TheModeOwnsNothing) {
  EXPECT_EQ(of_all(RedisOwnership::fields, independent(1), R"(
      10 number 7 field mode is 0
      10 set 7)"),
            "");
}

// Two readers, each timed by a key of its own, as the read-write lock's script makes them; what is said when they
// have come in stands before what follows.
std::string of_timed_readers(const std::string& script) {
  const std::string readers = R"(
      10 number 7 field uuid:1 is 1
      10 changed 7 ttl 90
      10 set 7 key uuid:1:1 ttl 100
      10 ttl-set 7 ttl 100
      20 number 8 field uuid:2 is 1
      20 changed 8 ttl 90
      20 set 8 key uuid:2:1 ttl 100
      20 ttl-set 8 ttl 100)";
  return of_all(RedisOwnership::timed_fields, independent(1), readers + script);
}
const std::string kTwoIn =
    "begin 7 at 10 until 100; extend 7 at 10 until 110; begin 8 at 20 until 110; extend 8 at 20 until 120; ";

TEST(TimedFields, ATimerThatIsWrittenToIsNotSetAnew) {
  EXPECT_EQ(of_timed_readers(R"(
      60 changed 8 key uuid:1:1 ttl 50
      60 decremented 8 key uuid:1:1 ttl 50)"),
            kTwoIn.substr(0, kTwoIn.size() - 2));
}

TEST(TimedFields, AReaderIsPromisedUntilItsOwnTimer) {
  EXPECT_EQ(of_timed_readers(R"(
      60 ttl-set 8 ttl 100
      60 ttl-set 8 key uuid:2:1 ttl 100)"),
            kTwoIn + "extend 8 at 60 until 160")
      << "that the hash lives on promises 7 nothing";
}

TEST(TimedFields, WhoClearsAwayAReaderWhoseTimeIsOverTakesNothing) {
  EXPECT_EQ(of_timed_readers(R"(
      110 deleted 8)"),
            kTwoIn + "end 7 by 8 at 110; released 8 at 110");
  EXPECT_EQ(of_timed_readers(R"(
      109 deleted 8)"),
            kTwoIn + "wrong-release 7 by 8 at 109; end 7 by 8 at 109; released 8 at 109");
}

TEST(TimedFields, WhoProlongsAnothersTimerDoesWrong) {
  EXPECT_EQ(of_timed_readers(R"(
      60 ttl-set 8 key uuid:1:1 ttl 100)"),
            kTwoIn + "wrong-renewal 7 by 8 at 60 until 160; extend 7 by 8 at 60 until 160");
}

// The inner acquisition's timer lasts longer, and its release may free the lock once the outer one's is over.
TEST(TimedFields, AHoldIsPromisedUntilTheFirstOfItsTimersEnds) {
  EXPECT_EQ(of_timed_readers(R"(
      40 number 7 field uuid:1 is 2
      40 changed 7 ttl 90
      40 set 7 key uuid:1:2 ttl 100
      40 ttl-set 7 ttl 100
      50 number 7 field uuid:1 is 1
      50 decremented 7 ttl 90
      50 deleted 7 key uuid:1:2
      50 set 7 key latch ttl 300
      111 deleted 8)"),
            kTwoIn + "end 7 by 8 at 111; released 8 at 111");
  EXPECT_EQ(of_timed_readers(R"(
      40 number 7 field uuid:1 is 2
      40 changed 7 ttl 90
      40 set 7 key uuid:1:2 ttl 100
      40 ttl-set 7 ttl 100
      60 ttl-set 7 key uuid:1:2 ttl 100
      60 ttl-set 7 key uuid:1:1 ttl 100)"),
            kTwoIn + "extend 7 at 60 until 160")
      << "a renewal prolongs both";
  EXPECT_EQ(of_timed_readers(R"(
      40 number 7 field uuid:1 is 2
      40 changed 7 ttl 90
      40 set 7 key uuid:1:2 ttl 100
      40 ttl-set 7 ttl 100
      120 deleted 8)"),
            kTwoIn + "wrong-release 7 by 8 at 120; end 7 by 8 at 120; released 8 at 120")
      << "the inner acquisition is still there to be taken";
}

TEST(TimedFields, AWriterHasNoTimerAndIsPromisedByTheHash) {
  EXPECT_EQ(of_all(RedisOwnership::timed_fields, independent(1), R"(
      10 number 7 field uuid:1:write is 1
      10 changed 7
      10 ttl-set 7 ttl 100
      20 set 8 key something ttl 500
      50 deleted 8)"),
            "begin 7 at 10 for ever; extend 7 at 10 until 110; wrong-release 7 by 8 at 50; end 7 by 8 at 50");
}

TEST(Force, EndsWhateverHoldThereIsAndSaysSo) {
  const std::string said = "begin 7 at 10 until 110; forced 7 by 9 at 20";
  EXPECT_EQ(of_all(RedisOwnership::key, independent(1), R"(
      10 set 7 ttl 100
      20 deleted 9 force 1)"),
            said);
  EXPECT_EQ(of_all(RedisOwnership::fields, independent(1), R"(
      10 number 7 field uuid:1 is 1
      10 set 7 ttl 100
      20 deleted 9 force 1)"),
            said);
}

}  // namespace
}  // namespace picklock
