// Curator's locks other than the mutex.
#include <gtest/gtest.h>

#include "algorithms/curator/curator_annotation.hpp"
#include "algorithms/curator/curator_lab.hpp"
#include "algorithms/curator/curator_multi_lock.hpp"
#include "algorithms/curator/curator_read_write_lock.hpp"
#include "algorithms/curator/curator_semaphore.hpp"

namespace picklock {
namespace {

using testing::quick;
using testing::shares;
using testing::ZooLabOf;

// --- readers and writers

struct ReadWriteLab : ZooLabOf<CuratorReadWriteOptions> {
  ReadWriteLab() : ZooLabOf("curator-read-write-lock", [](auto& o) { quick(o.mutex.client); }) {}
};

// CURATOR-621, CURATOR-276
TEST(CuratorReadWriteLock, AWriterBecomesAReaderAndNobodyGetsBetween) {
  for (const CuratorDowngrade downgrade : {CuratorDowngrade::writers_number, CuratorDowngrade::own_number}) {
    ReadWriteLab lab;
    const auto with = [&](auto& o) { o.downgrade = downgrade; };
    auto& p = lab.process("p");
    auto &a = lab.thread(p, 1, with), &b = lab.client("b", with), &a_reads = lab.thread(p, 1, with, shares);
    lab.acquire(a, b, a_reads);
    ASSERT_TRUE(a.holds() && a_reads.holds());
    EXPECT_FALSE(b.holds());
    lab.release(a);
    EXPECT_EQ(b.holds(), downgrade == CuratorDowngrade::own_number) << "a writer beside a reader";
    lab.release(a_reads);
    EXPECT_TRUE(b.holds());
  }
}

TEST(CuratorReadWriteLock, AReaderNeverBecomesAWriter) {
  ReadWriteLab lab;
  auto& p = lab.process("p");
  auto &reads = lab.thread(p, 1, {}, shares), &writes = lab.thread(p, 1);
  lab.acquire(reads);
  EXPECT_TRUE(reads.holds());
  writes.acquire(seconds(60));
  lab.pass(seconds(49));
  EXPECT_FALSE(writes.acquired);
  lab.pass(seconds(20));
  EXPECT_TRUE(writes.refused());
}

// --- several at once

struct MultiLab : ZooLabOf<CuratorMultiOptions> {
  MultiLab() : ZooLabOf("curator-multi-lock", [](auto& o) { quick(o.mutex.client), o.mutex.client.retries = 0; }) {}
  Client& of(std::string_view client, std::vector<std::string_view> paths, const Edit& edit = {}) {
    return thread(process(client), 1, edit, [&paths](LockContext& c) { c.names = paths; });
  }
};

TEST(CuratorMultiLock, TakesAllOrGivesBackInReverse) {
  MultiLab lab;
  auto &a = lab.of("a", {"x", "y", "z"}), &b = lab.of("b", {"w", "x"});
  lab.acquire(a);
  ASSERT_TRUE(a.holds());
  for (const char* path : {"/x", "/y", "/z"}) EXPECT_EQ(lab.nodes(path), 1U);
  b.acquire(seconds(2));
  lab.pass(seconds(1));
  EXPECT_EQ(lab.nodes("/w"), 1U);
  lab.pass(seconds(2));
  EXPECT_TRUE(b.refused());
  EXPECT_EQ(lab.nodes("/w"), 0U);
  lab.release(a);
  EXPECT_TRUE(a.gave_back());
  for (const char* path : {"/x", "/y", "/z"}) EXPECT_EQ(lab.nodes(path), 0U);
  const auto& log = lab.server.log;
  ASSERT_GE(log.size(), 3U);
  std::vector<std::string> last;
  for (std::size_t i = log.size() - 3; i < log.size(); ++i) last.push_back(log[i].substr(0, 9));
  EXPECT_EQ(last, (std::vector<std::string>{"delete /z", "delete /y", "delete /x"}));
}

TEST(CuratorMultiLock, OppositeOrdersBlockEachOther) {
  MultiLab lab;
  auto &a = lab.of("a", {"x", "y"}), &b = lab.of("b", {"y", "x"});
  a.acquire();
  b.acquire();
  lab.pass(seconds(1000));
  EXPECT_FALSE(a.acquired);
  EXPECT_FALSE(b.acquired);
  for (const char* path : {"/x", "/y"}) EXPECT_EQ(lab.nodes(path), 2U);
}

TEST(CuratorMultiLock, AnExceptionDoesNotStopTheLoop) {
  for (const CuratorAfterException after : {CuratorAfterException::goes_on, CuratorAfterException::stops}) {
    MultiLab lab;
    auto& a = lab.of("a", {"x", "z"}, [&](auto& o) { o.after_exception = after; });
    lab.before(a, mark::zoo_create, [&] { lab.world.faults.kill(lab.zk); });
    lab.acquire(a);
    lab.world.faults.restart(lab.zk);
    lab.pass(seconds(14));
    ASSERT_TRUE(a.acquired);
    EXPECT_FALSE(a.holds());
    EXPECT_EQ(lab.find("/z") != nullptr, after == CuratorAfterException::goes_on);
    EXPECT_EQ(lab.nodes("/z"), 0U) << "given back";
  }
}

// --- leases

struct LeaseLab : ZooLabOf<CuratorSemaphoreOptions> {
  explicit LeaseLab(std::int64_t leases)
      : ZooLabOf("curator-semaphore", [=](auto& o) { quick(o.mutex.client), o.leases = leases; }) {}
};

TEST(CuratorSemaphore, SoManyHoldAndTheOthersWait) {
  LeaseLab lab(2);
  auto &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c"), &d = lab.client("d");
  lab.acquire(a, b, c);
  d.acquire(seconds(2));
  EXPECT_TRUE(a.holds() && b.holds());
  EXPECT_FALSE(c.holds());
  lab.pass(seconds(3));
  EXPECT_TRUE(d.refused()) << "c has the mutex in hand";
  lab.release(b);
  EXPECT_TRUE(c.holds());
  EXPECT_EQ(lab.nodes("/door/leases"), 2U);
  EXPECT_EQ(lab.nodes("/door/locks"), 0U);
}

TEST(CuratorSemaphore, ALeaseThatIsGoneIsTakenAnew) {
  for (const CuratorMissingLease missing : {CuratorMissingLease::dropped, CuratorMissingLease::kept}) {
    LeaseLab lab(1);
    auto &a = lab.client("a"), &b = lab.client("b", [&](auto&o) { o.mutex.missing_lease = missing; });
    lab.acquire(a, b);
    ASSERT_EQ(lab.nodes("/door/leases"), 2U);
    for (const std::string& lease : lab.names("/door/leases")) {
      const std::string path = "/door/leases/" + lease;
      if (path != a.hold().value) lab.remove(path);
    }
    a.release();
    lab.pass(seconds(8));
    ASSERT_TRUE(b.holds());
    b.release();
    lab.pass(seconds(2));
    EXPECT_EQ(lab.nodes("/door/leases"), missing == CuratorMissingLease::kept ? 1U : 0U)
        << "what was released is the lease that was gone";
  }
}

// The server dies before the inner mutex's node is deleted: release() throws, and the lease is in no list.
TEST(CuratorSemaphore, ALeaseIsLostIfTheInnerMutexCannotBeReleased) {
  for (const CuratorFailedUnlock failed : {CuratorFailedUnlock::leaks, CuratorFailedUnlock::returns}) {
    LeaseLab lab(3);
    auto& a = lab.client("a", [&](auto& o) { o.mutex.client.retries = 0, o.mutex.failed_unlock = failed; });
    lab.before(a, mark::zoo_delete, [&] { lab.world.faults.kill(lab.zk); });
    a.acquire();
    lab.pass(seconds(3));
    lab.world.faults.restart(lab.zk);
    lab.pass(seconds(17));
    ASSERT_TRUE(a.acquired);
    EXPECT_TRUE(a.in_doubt());
    EXPECT_EQ(lab.nodes("/door/locks"), 0U) << "deleted in the background";
    EXPECT_EQ(lab.nodes("/door/leases"), failed == CuratorFailedUnlock::leaks ? 1U : 0U);
  }
}

TEST(CuratorSemaphoreMutex, IsOneLeaseAndDoesNotNest) {
  ZooLabOf<CuratorSemaphoreMutexOptions> lab("curator-semaphore-mutex", [](auto& o) { quick(o.client); });
  auto& a = lab.client("a");
  lab.acquire(a);
  ASSERT_TRUE(a.holds());
  const Hold hold = a.hold();
  a.acquire(seconds(5));
  lab.pass(seconds(9));
  EXPECT_TRUE(a.refused()) << "it waits for itself";
  a.release(hold);
  lab.pass(seconds(1));
  EXPECT_TRUE(a.gave_back());
  a.release(hold);
  lab.pass(seconds(1));
  EXPECT_TRUE(a.released->refused());
}

// --- the aspect

using AspectLab = ZooLabOf<CuratorAnnotationOptions>;

TEST(CuratorAnnotation, ANestedCallOfTheSamePathWaitsForItself) {
  for (const CuratorInstance instance : {CuratorInstance::per_call, CuratorInstance::per_path}) {
    AspectLab lab("curator-annotation", [=](auto& o) { o.instance = instance; });
    auto& a = lab.client("a");
    lab.acquire(a);
    ASSERT_TRUE(a.holds());
    a.acquire();
    lab.pass(seconds(998));
    EXPECT_EQ(a.holds(), instance == CuratorInstance::per_path);
    lab.pass(seconds(3));
    EXPECT_TRUE(a.acquired) << "a thousand seconds later";
  }
}

TEST(CuratorAnnotation, AWaitInVainEndsInARelease) {
  for (const CuratorFinally release : {CuratorFinally::always, CuratorFinally::if_acquired}) {
    AspectLab lab("curator-annotation", [=](auto& o) { o.release = release, o.wait = seconds(3); });
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a);
    b.acquire();
    lab.pass(seconds(4));
    ASSERT_TRUE(b.refused());
    EXPECT_EQ(b.acquired->error().empty(), release == CuratorFinally::if_acquired) << "IllegalMonitorState";
    lab.release(a);
    lab.acquire(b);
    EXPECT_TRUE(b.holds());
  }
}

TEST(CuratorAnnotation, AnExceptionLooksLikeAWaitInVain) {
  for (const CuratorErrors errors : {CuratorErrors::swallowed, CuratorErrors::passed_on}) {
    AspectLab lab("curator-annotation", [=](auto& o) { o.release = CuratorFinally::if_acquired, o.errors = errors; });
    auto& a = lab.client("a");
    lab.world.faults.kill(lab.zk);
    a.acquire();
    lab.pass(seconds(60));
    ASSERT_TRUE(a.refused());
    EXPECT_EQ(a.acquired->error().empty(), errors == CuratorErrors::swallowed);
  }
}

}  // namespace
}  // namespace picklock
