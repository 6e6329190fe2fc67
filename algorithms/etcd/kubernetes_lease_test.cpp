#include "algorithms/etcd/kubernetes_lease.hpp"

#include <gtest/gtest.h>

#include "algorithms/etcd/etcd_lock_lab.hpp"
#include "algorithms/options_lab.hpp"

namespace picklock {
namespace kubernetes_lease_test {

using testing::EtcdLockLab;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

struct Candidates : EtcdLockLab {
  Client& candidate(const std::string& name, const std::function<void(KubernetesLeaseOptions&)>& edit = {}) {
    return client<KubernetesLeaseOptions>(process(name), "kubernetes-lease", [&](KubernetesLeaseOptions& o) {
      if (edit) edit(o);
    });
  }
};

TEST(KubernetesLease, ALeaderRenewsAndHandsOver) {
  Candidates lab;
  auto &a = lab.candidate("a", [](auto&o) { o.release_on_cancel = true; }), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100));
  lab.run_until(seconds(60));
  ASSERT_TRUE(a.holds());
  EXPECT_FALSE(b.holds());
  EXPECT_FALSE(a.lost_at.has_value());
  EXPECT_GE(lab.store().find("door")->version, 25) << "every two seconds";
  EXPECT_GE(a.lock->deadline(a.acquired->value()), MonoTime{seconds(67).ns});
  lab.release(a, seconds(60));
  lab.run_until(seconds(65));
  EXPECT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds()) << "at its next look, at most 4.4 s later";
}

TEST(KubernetesLease, ADeadLeaderIsOutwaitedFromWhenItsLastChangeWasSeen) {
  Candidates lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100));
  lab.at(ms(30'000), [&](World& w) { w.faults.kill(a.process->node); });
  lab.run_until(seconds(60));
  ASSERT_TRUE(b.holds());
  // The last change at about 28 s is seen within 4.4 s; then 15 s, and a look within 4.4 s.
  EXPECT_GE(b.acquired_at, ms(43'000));
  EXPECT_LE(b.acquired_at, ms(30'000 + 4400 + 15'000 + 4400));
}

TEST(KubernetesLease, ALeaderThatCannotRenewStepsDownBeforeAnotherLeads) {
  Candidates lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100));
  lab.cut(*a.process, true, true, ms(20'500), ms(60'000));
  lab.run_until(seconds(58));
  ASSERT_TRUE(a.lost_at.has_value());
  EXPECT_LE(a.lost_at, ms(20'500 + 2000 + 10'000));
  ASSERT_TRUE(b.holds());
  EXPECT_GE(*b.acquired_at - *a.lost_at, ms(1000));
}

// The margin is ttl - renew-deadline - retry: 3 s.
TEST(KubernetesLease, ALeaderThatStopsForLongerThanItsMarginWakesBesideAnother) {
  Candidates lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100));
  lab.pause(a.process->node, ms(20'500), seconds(30));
  lab.run_until(ms(50'400));
  EXPECT_TRUE(b.holds());
  EXPECT_TRUE(a.holds());
  EXPECT_FALSE(a.lost_at.has_value());
  lab.run_until(seconds(65));
  EXPECT_TRUE(a.lost_at.has_value());
}

TEST(KubernetesLease, StepsAndOffsetsOfWallClocksDoNotMatter) {
  Candidates lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100));
  lab.at(ms(10'000), [&](World& w) { w.faults.step_clock(b.process->node, seconds(3600)); });
  lab.at(ms(15'000), [&](World& w) { w.faults.step_clock(a.process->node, seconds(-3600)); });
  lab.run_until(seconds(60));
  EXPECT_TRUE(a.holds());
  EXPECT_FALSE(a.lost_at.has_value());
  EXPECT_FALSE(b.holds());
}

// A clock that runs faster than ttl / renew-deadline is believed.
TEST(KubernetesLease, ACandidateWhoseClockRunsTooFastTakesOverEarly) {
  Candidates lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.world.nodes.initial_clock(b.process->node);
  lab.at(ms(1), [&](World& w) { w.faults.set_rate(b.process->node, 900'000); });
  lab.acquire(a, ms(10)), lab.acquire(b, ms(100));
  lab.cut(*a.process, true, false, ms(20'500), ms(90'000));
  lab.run_until(seconds(40));
  ASSERT_TRUE(b.holds());
  ASSERT_TRUE(a.lost_at.has_value());
  EXPECT_LT(*b.acquired_at, *a.lost_at) << "both led for a while";
}

TEST(KubernetesLease, WithoutReleaseOnCancelItStopsRenewingAndNothingElse) {
  Candidates lab;
  auto &a = lab.candidate("a"), &b = lab.candidate("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100)), lab.release(a, ms(10'000));
  lab.run_until(seconds(20));
  EXPECT_TRUE(a.released->unknown()) << "the record still names it";
  EXPECT_FALSE(b.holds());
  lab.run_until(seconds(40));
  EXPECT_TRUE(b.holds());
}

// The record says whole seconds, so its service promises no more.
TEST(KubernetesLease, PromisesWholeSeconds) {
  const LockKind& kind = *find_lock_kind("kubernetes-lease");
  for (const auto& [ttl, promised] :
       {std::pair(ms(1100), ms(1000)), std::pair(ms(3900), ms(3000)), std::pair(ms(15'000), ms(15'000))}) {
    const auto options = kind.default_options();
    testing::options_of<KubernetesLeaseOptions>([ttl = ttl](auto& o) { o.ttl = ttl; })(*options);
    EXPECT_EQ(kind.lease(*options), promised);
  }
}

}  // namespace kubernetes_lease_test
}  // namespace picklock
