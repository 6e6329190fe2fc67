#include "sim/etcd/lessor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace picklock {
namespace {

constexpr MonoTime at(std::int64_t s) { return MonoTime{seconds(s).ns}; }
constexpr MonoTime at_ms(std::int64_t ms) { return MonoTime{milliseconds(ms).ns}; }
using Ids = std::vector<EtcdLeaseId>;

TEST(EtcdLessor, ATtlIsNoShorterThanOneAndAHalfElections) {
  EXPECT_EQ(etcd_least_ttl_s(seconds(1)), 2);
  EXPECT_EQ(etcd_least_ttl_s(milliseconds(200)), 1);
  EXPECT_EQ(etcd_least_ttl_s(seconds(4)), 6);
  EtcdLessor lessor;
  EXPECT_EQ(lessor.grant(1, 1, at(0)), EtcdError::none);
  EXPECT_EQ(lessor.ttl_s(1), 2);
  EXPECT_EQ(lessor.grant(1, 5, at(0)), EtcdError::lease_exists);
  EXPECT_EQ(lessor.grant(2, EtcdLessor::kMostTtl + 1, at(0)), EtcdError::lease_ttl_too_large);
  EXPECT_EQ(lessor.ttl_s(3), std::nullopt);
}

TEST(EtcdLessor, OnlyALeaderKnowsWhenALeaseEnds) {
  EtcdLessor lessor;
  (void)lessor.grant(1, 5, at(0));
  EXPECT_EQ(lessor.renew(1, at(1)), EtcdRenewal::not_primary);
  EXPECT_EQ(lessor.take_expired(at(1000), 10), Ids{});
  EXPECT_EQ(lessor.remaining(1, at(1000)), EtcdLessor::kForeverMore);
  lessor.promote(at(1000), seconds(1));
  EXPECT_EQ(lessor.remaining(1, at(1000)), seconds(6)) << "its TTL anew, and an election timeout";
  EXPECT_EQ(lessor.take_expired(at_ms(1'005'999), 10), Ids{});
  EXPECT_EQ(lessor.take_expired(at(1006), 10), Ids{1});
  lessor.demote();
  EXPECT_EQ(lessor.take_expired(at(2000), 10), Ids{});
}

TEST(EtcdLessor, ARenewalLastsOneTtlFromNowOn) {
  EtcdLessor lessor;
  lessor.promote(at(0), seconds(1));
  (void)lessor.grant(1, 5, at(0));
  EXPECT_EQ(lessor.renew(1, at(4)), EtcdRenewal::renewed);
  EXPECT_EQ(lessor.remaining(1, at(5)), seconds(4));
  EXPECT_EQ(lessor.renew(9, at(4)), EtcdRenewal::not_found);
  EXPECT_EQ(lessor.renew(1, at(9)), EtcdRenewal::expired) << "at the very end it is over";
}

TEST(EtcdLessor, WhatHasEndedIsProposedAgainOnlyAfterAWhile) {
  EtcdLessor lessor;
  lessor.promote(at(0), seconds(1));
  for (EtcdLeaseId id : {3, 1, 2}) (void)lessor.grant(id, 5, at(0));
  EXPECT_EQ(lessor.take_expired(at(5), 2), (Ids{1, 2})) << "no more than the limit at once";
  EXPECT_EQ(lessor.take_expired(at(5), 2), Ids{3});
  EXPECT_EQ(lessor.take_expired(at(11), 10), Ids{});
  EXPECT_EQ(lessor.take_expired(at(12), 10), (Ids{1, 2, 3}));
  EXPECT_EQ(lessor.next_due(), at(19));
  EXPECT_EQ(lessor.revoke(2), std::vector<std::string>{});
  EXPECT_EQ(lessor.take_expired(at(19), 10), (Ids{1, 3}));
}

TEST(EtcdLessor, KeysAreGivenBackInOrder) {
  EtcdLessor lessor;
  (void)lessor.grant(1, 5, at(0));
  lessor.attach(1, "b"), lessor.attach(1, "c"), lessor.attach(1, "a"), lessor.attach(1, "a");
  lessor.detach(1, "c");
  EXPECT_EQ(lessor.keys(1), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lessor.revoke(1), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lessor.revoke(1), std::nullopt);
}

// 1,000 leases and more that would end in one second are spread to 750 a second, and end no earlier.
TEST(EtcdLessor, APileOfLeasesIsSpreadWhenALeaderBegins) {
  constexpr EtcdLeaseId kAll = 3000;
  EtcdLessor lessor;
  for (EtcdLeaseId id = 1; id <= kAll; ++id) (void)lessor.grant(id, 5, at(0));
  lessor.promote(at(0), seconds(1));
  std::size_t most = 0, total = 0;
  EXPECT_EQ(lessor.take_expired(at_ms(5999), kAll), Ids{});
  for (std::int64_t s = 6; s < 20; ++s) {
    const std::size_t n = lessor.take_expired(at_ms(s * 1000 + 999), kAll).size();
    most = std::max(most, s < 13 ? n : 0), total += n;
  }
  EXPECT_GE(total, static_cast<std::size_t>(kAll));
  EXPECT_LE(most, 2 * 750U);

  EtcdLessor few;
  for (EtcdLeaseId id = 1; id < static_cast<EtcdLeaseId>(EtcdLessor::kPiledUp); ++id) (void)few.grant(id, 5, at(0));
  few.promote(at(0), seconds(1));
  EXPECT_EQ(few.take_expired(at(6), kAll).size(), EtcdLessor::kPiledUp - 1) << "fewer are not";
}

TEST(EtcdLessor, ACheckpointIsWhatANewLeaderStartsFrom) {
  const EtcdLessorOptions options{.checkpoint_every = seconds(300), .checkpoints_survive_restart = true};
  EtcdLessor leader(options), follower(options);
  leader.promote(at(0), seconds(1));
  for (EtcdLessor* l : {&leader, &follower}) {
    (void)l->grant(1, 1000, at(0));
    (void)l->grant(2, 300, at(0));  // a lease too short to be worth it
  }
  EXPECT_TRUE(leader.take_checkpoints(at_ms(299'999), 1000).empty());
  const auto due = leader.take_checkpoints(at(300), 1000);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].id, 1);
  EXPECT_EQ(due[0].remaining_s, 700);
  for (EtcdLessor* l : {&leader, &follower}) l->checkpoint(1, 700, at(300));
  follower.promote(at(400), seconds(1));
  EXPECT_EQ(follower.remaining(1, at(400)), seconds(701));
  EXPECT_EQ(leader.renew(1, at(400)), EtcdRenewal::checkpointed) << "the log comes first";
  leader.checkpoint(1, 0, at(400));
  EXPECT_EQ(leader.renew(1, at(400)), EtcdRenewal::renewed);
  EXPECT_EQ(leader.remaining(1, at(400)), seconds(1000));

  std::string bytes;
  Packer to(bytes);
  follower.save(to);
  to.finish();
  EtcdLessor restarted(options);
  Unpacker from(bytes);
  ASSERT_TRUE(restarted.load(from));
  restarted.promote(at(0), {});
  EXPECT_EQ(restarted.remaining(1, at(0)), seconds(700));
}

// Every change of leader gives a dead holder's lease its whole TTL again.
TEST(EtcdLessor, WithoutCheckpointsEachLeaderBeginsAnew) {
  EtcdLessor lessor;
  (void)lessor.grant(1, 60, at(0));
  for (std::int64_t s = 0; s < 600; s += 50) {
    lessor.promote(at(s), seconds(1));
    EXPECT_EQ(lessor.take_expired(at(s + 49), 10), Ids{});
    lessor.demote();
  }
}

}  // namespace
}  // namespace picklock
