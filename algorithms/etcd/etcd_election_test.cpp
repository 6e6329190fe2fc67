#include "algorithms/etcd/etcd_election.hpp"

#include <gtest/gtest.h>

#include "algorithms/etcd/etcd_lock_lab.hpp"
#include "algorithms/etcd/etcd_mutex.hpp"

namespace picklock {
namespace etcd_election_test {

using testing::EtcdLockLab;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

using Edit = std::function<void(EtcdElectionOptions&)>;
struct Elections : EtcdLockLab {
  Client& candidate(const std::string& name, const Edit& edit = {}) {
    return client<EtcdElectionOptions>(process(name), "etcd-election", [&](EtcdElectionOptions& o) {
      o.ttl = seconds(5);
      if (edit) edit(o);
    });
  }
  std::size_t keys() const { return store().keys(); }
};

TEST(EtcdElection, CandidatesLeadInTheOrderOfTheirKeysWithGrowingTokens) {
  Elections lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b"), &c = lab.candidate("c");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.acquire(c, ms(20));
  lab.run_until(ms(100));
  ASSERT_TRUE(a.holds());
  EXPECT_FALSE(b.acquired);
  EXPECT_EQ(lab.keys(), 3U);
  lab.release(a, ms(100));
  lab.run_until(ms(200));
  EXPECT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_FALSE(c.acquired);
  lab.release(b, ms(200));
  lab.run_until(seconds(20));
  ASSERT_TRUE(c.holds());
  EXPECT_GT(c.acquired->value().token, b.acquired->value().token);
  EXPECT_TRUE(lab.store().holds(etcd_owner_guard(c.acquired->value())));
  EXPECT_FALSE(c.lost_at.has_value()) << "renewed all the time";
}

TEST(EtcdElection, ACandidateWhoseTimeIsOverResigns) {
  Elections lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10), ms(500));
  lab.run_until(seconds(1));
  ASSERT_TRUE(b.acquired);
  EXPECT_EQ(b.acquired->why(), Why::refused);
  EXPECT_EQ(lab.keys(), 1U);
}

// Election still has the mistake that Mutex had until 3.4 (etcd#11456).
TEST(EtcdElection, ACandidateWhoseLeaseHasEndedIsToldThatItLeads) {
  Elections lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b"), &c = lab.candidate("c");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.acquire(c, ms(20));
  lab.at(ms(1000), [&](World&) { EXPECT_EQ(lab.run(EtcdLeaseRevoke{1002}).error, EtcdError::none); });
  lab.release(a, ms(1200));
  lab.run_until(ms(1250));
  EXPECT_TRUE(c.holds());
  EXPECT_TRUE(b.holds()) << "without a key";
}

// etcd#21128: the revision from which the candidate watches is compacted before its watch comes.
TEST(EtcdElection, ACampaignThatFailsLeavesItsKeyOrResigns) {
  for (const EtcdCampaignError error : {EtcdCampaignError::keeps_key, EtcdCampaignError::resigns}) {
    Elections lab;
    auto &a = lab.candidate("a"), &c = lab.candidate("c");
    auto& b = lab.candidate("b", [&](auto& o) {
      o.campaign_error = error;
      o.retry = seconds(30);  // it does not campaign again
    });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(500), seconds(2));
    for (std::int64_t t = 500; t < 520; ++t) {  // somewhere between its Get and its watch
      lab.at(ms(t), [&](World&) {
        (void)lab.run(EtcdPut("other", "", 0));
        (void)lab.run(EtcdCompaction{lab.store().revision()});
      });
    }
    lab.release(a, seconds(3)), lab.acquire(c, seconds(4));
    lab.run_until(seconds(30));
    ASSERT_TRUE(b.acquired);
    EXPECT_FALSE(b.acquired->yes());
    const bool keeps = error == EtcdCampaignError::keeps_key;
    EXPECT_EQ(b.acquired->unknown(), keeps);
    EXPECT_EQ(c.holds(), !keeps) << "the key of a candidate that is gone leads as long as its session lives";
  }
}

// etcd#22123
TEST(EtcdElection, AResignThatFailedCanBeCalledAgainIfItRemembers) {
  for (const EtcdResign resign : {EtcdResign::forgets, EtcdResign::remembers}) {
    Elections lab;
    auto& a = lab.candidate("a", [&](auto& o) {
      o.ttl = seconds(60);
      o.resign = resign;
      o.resigns_again = seconds(8);
    });
    lab.acquire(a, ms(0));
    lab.at(ms(1000), [&](World& w) { w.faults.kill(lab.server()); });
    lab.release(a, ms(1010));
    lab.at(seconds(9), [&](World& w) { w.faults.restart(lab.server()); });
    lab.run_until(seconds(60));
    ASSERT_TRUE(a.released);
    EXPECT_TRUE(a.released->yes()) << "nil";
    EXPECT_EQ(lab.keys(), resign == EtcdResign::forgets ? 1U : 0U);
  }
}

TEST(EtcdElection, AResignWithoutAnswerIsUnknown) {
  Elections lab;
  auto& a = lab.candidate("a");
  lab.acquire(a, ms(0));
  lab.cut(*a.process, false, true, ms(1000), seconds(9));
  lab.release(a, ms(1000));
  lab.run_until(seconds(9));
  ASSERT_TRUE(a.released);
  EXPECT_TRUE(a.released->unknown());
  EXPECT_EQ(lab.keys(), 0U);
}

// Resign compares the revision, so a late one leaves the next leader's key alone.
TEST(EtcdElection, ALateResignDeletesNothing) {
  Elections lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
  lab.pause(a.process->node, ms(500), ms(11'500));
  lab.release(a, seconds(14));
  lab.run_until(seconds(15));
  EXPECT_TRUE(a.released->yes()) << "whether anything was deleted, it does not say";
  ASSERT_TRUE(a.lost_at.has_value());
  EXPECT_TRUE(b.holds());
  EXPECT_EQ(lab.keys(), 1U);
}

}  // namespace etcd_election_test
}  // namespace picklock
