#include "algorithms/etcd/etcd_mutex.hpp"

#include <gtest/gtest.h>

#include "algorithms/etcd/etcd_lock_lab.hpp"

namespace picklock {
namespace etcd_mutex_test {

using testing::EtcdLockLab;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

using Edit = std::function<void(EtcdMutexOptions&)>;
struct Mutexes : EtcdLockLab {
  Client& mutex(const std::string& name, const Edit& edit = {}) { return mutex(process(name), edit); }
  Client& mutex(Process& p, const Edit& edit = {}) {
    return client<EtcdMutexOptions>(p, "etcd-mutex", [&](EtcdMutexOptions& o) {
      o.ttl = seconds(5);
      if (edit) edit(o);
    });
  }
  std::size_t keys() const { return store().keys(); }
};

TEST(EtcdMutex, ServesInTheOrderOfCreationWithGrowingTokens) {
  Mutexes lab;
  auto &a = lab.mutex("a"), &b = lab.mutex("b"), &c = lab.mutex("c");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.acquire(c, ms(20));
  lab.run_until(ms(100));
  ASSERT_TRUE(a.holds());
  EXPECT_FALSE(b.holds());
  EXPECT_EQ(lab.keys(), 3U);
  lab.release(a, ms(100));
  lab.run_until(ms(200));
  EXPECT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_FALSE(c.holds());
  lab.release(b, ms(200));
  lab.run_until(seconds(20));
  ASSERT_TRUE(c.holds());
  EXPECT_EQ(c.acquired->value().token, lab.store().find(c.acquired->value().value)->create_revision);
  EXPECT_EQ(c.acquired->value().token, 4);
  EXPECT_TRUE(lab.store().holds(etcd_owner_guard(c.acquired->value())));
  EXPECT_EQ(lab.keys(), 1U) << "renewed all the time";
  EXPECT_FALSE(c.lost_at.has_value());
}

// Timeline E1: the lease ends at the server while the holder sleeps; it is told within a second of waking.
TEST(EtcdMutex, AHolderThatStopsForTooLongWakesBesideItsSuccessor) {
  Mutexes lab;
  auto &a = lab.mutex("a"), &b = lab.mutex("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
  lab.pause(a.process->node, ms(500), ms(11'500));
  lab.run_until(ms(11'999));
  EXPECT_GE(b.acquired_at, ms(5000));
  EXPECT_LE(b.acquired_at, ms(5520));
  EXPECT_FALSE(a.lost_at.has_value());
  EXPECT_TRUE(a.holds()) << "as far as it knows";
  EXPECT_FALSE(lab.store().holds(etcd_owner_guard(a.acquired->value()))) << "a guarded write would be refused";
  lab.run_until(seconds(14));
  EXPECT_GE(a.lost_at, seconds(12));
  EXPECT_LE(a.lost_at, seconds(13));
  lab.release(a, seconds(14));
  lab.run_until(seconds(15));
  EXPECT_TRUE(a.released->yes()) << "Unlock does not ask whether there was anything to delete";
  EXPECT_TRUE(b.holds());
}

// etcd#11456, #9921; timeline E4.
TEST(EtcdMutex, AWaiterWhoseOwnLeaseHasDiedWasToldThatItHolds) {
  for (const bool recheck : {false, true}) {
    Mutexes lab;
    auto &a = lab.mutex("a"), &c = lab.mutex("c");
    auto& b = lab.mutex("b", [&](EtcdMutexOptions& o) { o.recheck = recheck; });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.acquire(c, ms(20));
    lab.at(ms(1000), [&](World&) { EXPECT_EQ(lab.run(EtcdLeaseRevoke{1002}).error, EtcdError::none); });
    lab.release(a, ms(1200));
    lab.run_until(ms(1250));
    ASSERT_TRUE(c.holds());
    EXPECT_EQ(b.holds(), !recheck) << "with recheck it looks for its own key, and queues up again";
    lab.run_until(ms(4000));
    EXPECT_EQ(b.holds(), !recheck);
    if (!recheck) continue;
    EXPECT_EQ(lab.keys(), 2U);
    lab.release(c, ms(4000));
    lab.run_until(ms(4100));
    EXPECT_TRUE(b.holds());
  }
}

// etcd#19597.
TEST(EtcdMutex, AWaiterWithoutALeaseWaitsOnUnlessItHeedsItsSession) {
  for (const bool heeds : {false, true}) {
    Mutexes lab;
    auto& a = lab.mutex("a");
    auto& b = lab.mutex("b", [&](EtcdMutexOptions& o) { o.heeds_session = heeds; });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
    lab.at(ms(1000), [&](World&) { (void)lab.run(EtcdLeaseRevoke{1002}); });
    lab.run_until(seconds(30));
    EXPECT_EQ(lab.keys(), heeds ? 2U : 1U) << "queued anew with a new lease, or nowhere";
  }
}

// etcd#22082; timeline E6.
TEST(EtcdMutex, AnUnlockSentAgainDeletesTheNextHoldUnlessItCompares) {
  for (const EtcdUnlock how : {EtcdUnlock::by_name, EtcdUnlock::own_revision}) {
    Mutexes lab;
    auto& a = lab.mutex("a", [&](EtcdMutexOptions& o) {
      o.ttl = seconds(60);
      o.unlock = how, o.unlock_retry = EtcdUnlockRetry::background;
    });
    lab.acquire(a, ms(0));
    lab.cut(*a.process, false, true, ms(1000), ms(6050));
    lab.release(a, ms(1000));
    lab.run_until(ms(6020));
    ASSERT_TRUE(a.released->unknown()) << "deleted, and nobody was told";
    EXPECT_EQ(lab.keys(), 0U);
    lab.acquire(a, ms(6060));
    lab.run_until(seconds(12));
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(lab.keys(), how == EtcdUnlock::by_name ? 0U : 1U);
  }
}

TEST(EtcdMutex, AnUnlockThatIsRepeatedUntilItIsAnsweredSaysYes) {
  Mutexes lab;
  auto& a =
      lab.mutex("a", [&](EtcdMutexOptions& o) { o.ttl = seconds(60), o.unlock_retry = EtcdUnlockRetry::inline_; });
  lab.acquire(a, ms(0));
  lab.cut(*a.process, false, true, ms(1000), ms(6050));
  lab.release(a, ms(1000));
  lab.run_until(seconds(20));
  ASSERT_TRUE(a.released.has_value());
  EXPECT_TRUE(a.released->yes());
}

TEST(EtcdMutex, ThreadsThatShareASessionHoldTogether) {
  for (const bool shared : {false, true}) {
    Mutexes lab;
    auto& p = lab.process("p");
    const Edit edit = [&](EtcdMutexOptions& o) { o.shared_session = shared; };
    auto &one = lab.mutex(p, edit), &two = lab.mutex(p, edit);
    lab.acquire(one, ms(0)), lab.acquire(two, ms(100));
    lab.run_until(seconds(1));
    EXPECT_TRUE(one.holds());
    EXPECT_EQ(two.holds(), shared);
    if (!shared) continue;
    EXPECT_EQ(one.acquired->value().value, two.acquired->value().value);
    EXPECT_EQ(one.acquired->value().token, two.acquired->value().token);
    lab.release(one, seconds(1));
    lab.run_until(seconds(2));
    EXPECT_EQ(lab.keys(), 0U) << "the first to leave leaves for both";
  }
}

TEST(EtcdMutex, ASessionOfItsOwnEndsWithTheLock) {
  for (const bool per_lock : {false, true}) {
    Mutexes lab;
    const Edit edit = [&](EtcdMutexOptions& o) { o.session_per_lock = per_lock; };
    auto &a = lab.mutex("a", edit), &b = lab.mutex("b", edit);
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10), ms(300));
    lab.release(a, ms(500));
    lab.run_until(ms(600));
    ASSERT_TRUE(b.acquired && b.acquired->refused());
    EXPECT_TRUE(a.released && a.released->yes());
    EXPECT_EQ(lab.member.state.lessor().size(), per_lock ? 0U : 2U);
    lab.acquire(a, ms(700));
    lab.run_until(ms(800));
    EXPECT_TRUE(a.holds());
  }
}

TEST(EtcdMutex, AWaiterThatLosesPatienceStepsOut) {
  Mutexes lab;
  auto &a = lab.mutex("a"), &b = lab.mutex("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10), ms(700));
  lab.run_until(ms(600));
  EXPECT_EQ(lab.keys(), 2U);
  lab.run_until(ms(800));
  ASSERT_TRUE(b.acquired.has_value());
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_EQ(lab.keys(), 1U);
  lab.run_until(ms(850));
  EXPECT_EQ(lab.member.hub.size(), 0U) << "nor does it watch any more";
}

TEST(EtcdMutex, AWaiterWhoseKeyIsGoneHasNothingToDelete) {
  Mutexes lab;
  auto &a = lab.mutex("a"), &b = lab.mutex("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10), ms(1300));
  lab.at(ms(1000), [&](World&) { (void)lab.run(EtcdLeaseRevoke{1002}); });
  lab.release(a, ms(1200));
  lab.run_until(ms(1250));
  const auto& log = lab.member.log;
  EXPECT_EQ(std::ranges::count_if(log, [](const std::string& r) { return r.starts_with("delete"); }), 1)
      << "a's Unlock, and none of b's";
}

TEST(EtcdMutex, TryLockLeavesTheLineAtOnce) {
  Mutexes lab;
  auto& a = lab.mutex("a");
  auto& b = lab.mutex("b", [](EtcdMutexOptions& o) { o.try_lock = ms(200); });
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
  lab.run_until(ms(100));
  EXPECT_EQ(lab.keys(), 1U);
  lab.release(a, ms(500));
  lab.run_until(seconds(1));
  EXPECT_TRUE(b.holds());
}

// The transaction took effect and the answer was lost: the same session finds its own key.
TEST(EtcdMutex, ALostAnswerIsMadeGoodByLockingAgain) {
  Mutexes lab;
  auto& a = lab.mutex("a", [](EtcdMutexOptions& o) { o.ttl = seconds(30); });
  lab.at(ms(3), [&](World&) { lab.member.refusals = {{EtcdRequest(EtcdTxn()).index(), EtcdError::timeout, true}}; });
  lab.acquire(a, ms(0));
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(lab.keys(), 1U);
  EXPECT_EQ(a.acquired->value().token, 2) << "of the first transaction";
}

TEST(EtcdMutex, TheRevisionOfAnAnswerIsNotTheKeys) {
  for (const EtcdToken token : {EtcdToken::create_revision, EtcdToken::header}) {
    Mutexes lab;
    auto& a = lab.mutex("a");
    auto& b = lab.mutex("b", [&](EtcdMutexOptions& o) { o.token = token; });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.release(a, ms(100));
    lab.run_until(ms(200));
    ASSERT_TRUE(b.holds());
    EXPECT_EQ(lab.store().holds(etcd_owner_guard(b.acquired->value())), token == EtcdToken::create_revision);
  }
}

// A holder that dies keeps the lock for one lease, and the next in the queue gets it then.
TEST(EtcdMutex, ADeadHoldersLockIsFreeAfterItsLease) {
  Mutexes lab;
  auto &a = lab.mutex("a"), &b = lab.mutex("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
  lab.at(ms(1000), [&](World& w) { w.faults.kill(a.process->node); });
  lab.run_until(seconds(8));
  EXPECT_GE(b.acquired_at, ms(5000));
  EXPECT_LE(b.acquired_at, ms(5520));
}

}  // namespace etcd_mutex_test
}  // namespace picklock
