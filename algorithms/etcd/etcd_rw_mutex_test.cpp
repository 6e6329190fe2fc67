#include "algorithms/etcd/etcd_rw_mutex.hpp"

#include <gtest/gtest.h>

#include "algorithms/etcd/etcd_lock_lab.hpp"

namespace picklock {
namespace etcd_rw_mutex_test {

using testing::EtcdLockLab;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

struct RwMutexes : EtcdLockLab {
  Client& reader(const std::string& name, bool recheck = false) { return make(name, Sharing::shared, recheck); }
  Client& writer(const std::string& name, bool recheck = false) { return make(name, Sharing::exclusive, recheck); }
  Client& make(const std::string& name, Sharing sharing, bool recheck) {
    return client<EtcdRwMutexOptions>(
        process(name), "etcd-rw-mutex", [&](EtcdRwMutexOptions& o) { o.ttl = seconds(5), o.recheck = recheck; },
        sharing);
  }
};

TEST(EtcdRwMutex, ReadersShareAndAWriterIsAlone) {
  RwMutexes lab;
  auto &r1 = lab.reader("r1"), &r2 = lab.reader("r2"), &w = lab.writer("w"), &late = lab.reader("late");
  lab.acquire(r1, ms(0)), lab.acquire(r2, ms(10)), lab.acquire(w, ms(20)), lab.acquire(late, ms(30));
  lab.run_until(ms(100));
  EXPECT_TRUE(r1.holds() && r2.holds());
  EXPECT_FALSE(w.holds());
  EXPECT_FALSE(late.holds()) << "a reader waits for writers that came before it";
  lab.release(r1, ms(100));
  lab.run_until(ms(200));
  EXPECT_FALSE(w.holds());
  lab.release(r2, ms(200));
  lab.run_until(ms(300));
  ASSERT_TRUE(w.holds());
  EXPECT_FALSE(late.holds());
  EXPECT_EQ(w.acquired->value().token, 4);
  lab.release(w, ms(300));
  lab.run_until(ms(400));
  EXPECT_TRUE(w.released->yes());
  EXPECT_TRUE(late.holds());
}

TEST(EtcdRwMutex, KeysLieInTheDirectoriesThatAJudgeReads) {
  RwMutexes lab;
  auto &r = lab.reader("r"), &w = lab.writer("w");
  lab.acquire(r, ms(0)), lab.acquire(w, ms(10));
  lab.run_until(ms(100));
  std::vector<std::string> directories;
  lab.store().each_key([&](const EtcdKeyValue& kv) { directories.emplace_back(etcd_directory(kv.key)); });
  EXPECT_EQ(directories, (std::vector<std::string>{"door/read", "door/write"}));
}

// etcd#16221.
TEST(EtcdRwMutex, AWaiterWhoseLeaseHasDiedIsToldThatItHolds) {
  for (const bool recheck : {false, true}) {
    RwMutexes lab;
    auto &a = lab.writer("a"), &b = lab.writer("b", recheck), &c = lab.writer("c");
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.acquire(c, ms(20));
    lab.at(ms(1000), [&](World&) { (void)lab.run(EtcdLeaseRevoke{1002}); });
    lab.release(a, ms(1200));
    lab.run_until(ms(1250));
    EXPECT_TRUE(c.holds());
    EXPECT_EQ(b.holds(), !recheck);
  }
}

TEST(EtcdRwMutex, AWaiterThatLosesPatienceStepsOut) {
  RwMutexes lab;
  auto &a = lab.writer("a"), &b = lab.reader("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10), ms(500));
  lab.run_until(ms(600));
  ASSERT_TRUE(b.acquired.has_value());
  EXPECT_TRUE(b.acquired->refused());
  EXPECT_EQ(lab.store().keys(), 1U);
}

// A waiter's look at the queue fails: Lock ends with an error, and is called again.
TEST(EtcdRwMutex, AWaitThatFailsLeavesItsKeyBehind) {
  for (const EtcdFailedWait failed : {EtcdFailedWait::leaves_key, EtcdFailedWait::deletes_key}) {
    RwMutexes lab;
    auto& a = lab.writer("a");
    auto& b = lab.client<EtcdRwMutexOptions>(
        lab.process("b"), "etcd-rw-mutex", [&](EtcdRwMutexOptions& o) { o.ttl = seconds(5), o.failed_wait = failed; });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
    lab.at(ms(9), [&](World&) {
      lab.member.refusals = {{EtcdRequest(EtcdRange("x")).index(), EtcdError::compacted, false}};
    });
    lab.release(a, ms(300));
    lab.run_until(seconds(20));
    EXPECT_EQ(b.holds(), failed == EtcdFailedWait::deletes_key) << "else it waits for its own first key";
    EXPECT_EQ(lab.store().keys(), failed == EtcdFailedWait::deletes_key ? 1U : 2U);
  }
}

// The watch is cancelled, since what it asks for is compacted: the recipe looks again.
TEST(EtcdRwMutex, AWatchThatEndsIsAsGoodAsADeletion) {
  RwMutexes lab;
  auto &a = lab.writer("a"), &b = lab.writer("b");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
  lab.at(ms(1000), [&](World& w) { w.faults.kill(lab.server()); });
  lab.at(ms(1010), [&](World&) {
    for (const EtcdRequest& r : std::vector<EtcdRequest>{EtcdLeaseRevoke{1001}, EtcdPut("x", "1"), EtcdCompaction{4}}) {
      (void)lab.member.state.apply(r, {});
    }
  });
  lab.at(ms(1100), [&](World& w) { w.faults.restart(lab.server()); });
  lab.run_until(seconds(4));
  EXPECT_TRUE(b.holds());
  EXPECT_EQ(b.acquired->value().token, 3) << "by the key that it had from the beginning";
}

TEST(EtcdRwMutex, AHolderIsToldThatItsLeaseIsGone) {
  RwMutexes lab;
  auto& a = lab.writer("a");
  lab.acquire(a, ms(0));
  lab.at(ms(1000), [&](World&) { (void)lab.run(EtcdLeaseRevoke{1001}); });
  lab.run_until(seconds(4));
  EXPECT_GE(a.lost_at, ms(1000));
  EXPECT_LE(a.lost_at, ms(2600));
}

}  // namespace etcd_rw_mutex_test
}  // namespace picklock
