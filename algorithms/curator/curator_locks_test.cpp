// Curator's locks other than the mutex.
#include <gtest/gtest.h>

#include "algorithms/curator/curator_annotation.hpp"
#include "algorithms/curator/curator_multi_lock.hpp"
#include "algorithms/curator/curator_read_write_lock.hpp"
#include "algorithms/curator/curator_semaphore.hpp"
#include "algorithms/zookeeper/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::count_of;
using testing::ms;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;
using SetOptions = ZooLockClient::SetOptions;

void quick(CuratorOptions& o) {
  o.session = seconds(6);
  o.connection = seconds(5);
}

// --- readers and writers -----------------------------------------------------------------------------

SetOptions read_write(CuratorDowngrade downgrade = CuratorDowngrade::writers_number) {
  return zoo_options<CuratorReadWriteOptions>([downgrade](CuratorReadWriteOptions& o) {
    quick(o.mutex.client);
    o.downgrade = downgrade;
  });
}
void shares(LockContext& c) { c.sharing = Sharing::shared; }

struct CuratorReader : ZooLockClient {
  explicit CuratorReader(ZooLockProcess& p, const SetOptions& set = read_write())
      : ZooLockClient(p, "curator-read-write-lock", set, 1, shares) {}
};
struct CuratorWriter : ZooLockClient {
  explicit CuratorWriter(ZooLockProcess& p, const SetOptions& set = read_write())
      : ZooLockClient(p, "curator-read-write-lock", set) {}
};

TEST(CuratorReadWriteLock, ReadersShareAndAWriterWaitsForAllBeforeIt) {
  ZooLab lab;
  ZooLockProcess p(lab, "p"), q(lab, "q"), r(lab, "r"), s(lab, "s");
  CuratorReader a(p), b(q), d(s);
  CuratorWriter c(r);
  a.acquire();
  b.acquire();
  lab.run_until(seconds(1));
  EXPECT_TRUE(a.holds() && b.holds());
  c.acquire();
  lab.run_until(seconds(2));
  d.acquire();
  lab.run_until(seconds(3));
  EXPECT_FALSE(c.holds());
  EXPECT_FALSE(d.holds()) << "behind the writer";
  a.release();
  lab.run_until(seconds(4));
  EXPECT_FALSE(c.holds());
  b.release();
  lab.run_until(seconds(5));
  ASSERT_TRUE(c.holds());
  EXPECT_FALSE(d.holds());
  c.release();
  lab.run_until(seconds(6));
  EXPECT_TRUE(d.holds());
}

// CURATOR-621, CURATOR-276
TEST(CuratorReadWriteLock, AWriterBecomesAReaderAndNobodyGetsBetween) {
  for (const CuratorDowngrade downgrade : {CuratorDowngrade::writers_number, CuratorDowngrade::own_number}) {
    ZooLab lab;
    ZooLockProcess p(lab, "p"), q(lab, "q");
    CuratorWriter a(p, read_write(downgrade)), b(q, read_write(downgrade));
    CuratorReader a_reads(p, read_write(downgrade));
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(2));
    a_reads.acquire();
    lab.run_until(seconds(3));
    ASSERT_TRUE(a_reads.holds());
    a.release();
    lab.run_until(seconds(4));
    EXPECT_EQ(b.holds(), downgrade == CuratorDowngrade::own_number) << "a writer beside a reader";
    a_reads.release();
    lab.run_until(seconds(5));
    EXPECT_TRUE(b.holds());
  }
}

TEST(CuratorReadWriteLock, AReaderNeverBecomesAWriter) {
  ZooLab lab;
  ZooLockProcess p(lab, "p");
  CuratorReader reads(p);
  CuratorWriter writes(p);
  reads.acquire();
  lab.run_until(seconds(1));
  writes.acquire(seconds(60));
  lab.run_until(seconds(50));
  EXPECT_FALSE(writes.acquired);
  lab.run_until(seconds(70));
  EXPECT_TRUE(writes.acquired && writes.acquired->refused());
}

// --- several at once -------------------------------------------------------------------------------------

struct MultiUser : ZooLockClient {
  MultiUser(ZooLockProcess& p, std::vector<std::string_view> names,
            CuratorAfterException after = CuratorAfterException::goes_on)
      : ZooLockClient(p, "curator-multi-lock", zoo_options<CuratorMultiOptions>([after](CuratorMultiOptions& o) {
          quick(o.mutex.client);
          o.mutex.client.retries = 0;
          o.after_exception = after;
        }), 1, [names](LockContext& c) { c.names = names; }) {}
};

TEST(CuratorMultiLock, TakesAllOrGivesBackInReverse) {
  ZooLab lab;
  ZooLockProcess p(lab, "p"), q(lab, "q");
  MultiUser a(p, {"x", "y", "z"}), b(q, {"w", "x"});
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  for (const char* path : {"/x", "/y", "/z"}) EXPECT_EQ(count_of(lab, path), 1U);
  b.acquire(seconds(2));
  lab.run_until(seconds(2));
  EXPECT_EQ(count_of(lab, "/w"), 1U);
  lab.run_until(seconds(4));
  EXPECT_TRUE(b.acquired && b.acquired->refused());
  EXPECT_EQ(count_of(lab, "/w"), 0U);
  a.release();
  lab.run_until(seconds(5));
  EXPECT_TRUE(a.released->yes());
  for (const char* path : {"/x", "/y", "/z"}) EXPECT_EQ(count_of(lab, path), 0U);
}

TEST(CuratorMultiLock, OppositeOrdersBlockEachOther) {
  ZooLab lab;
  ZooLockProcess p(lab, "p"), q(lab, "q");
  MultiUser a(p, {"x", "y"}), b(q, {"y", "x"});
  a.acquire();
  b.acquire();
  lab.run_until(seconds(1000));
  EXPECT_FALSE(a.acquired);
  EXPECT_FALSE(b.acquired);
}

TEST(CuratorMultiLock, AnExceptionDoesNotStopTheLoop) {
  for (const CuratorAfterException after : {CuratorAfterException::goes_on, CuratorAfterException::stops}) {
    ZooLab lab;
    ZooLockProcess p(lab, "p");
    MultiUser a(p, {"x", "z"}, after);
    a.acquire();
    lab.on(p.node(), mark::zoo_create, [&](World& w) { w.kill(lab.zk); }, MarkSide::before);
    lab.run_until(seconds(1));
    lab.world.restart(lab.zk);
    lab.run_until(seconds(15));
    ASSERT_TRUE(a.acquired);
    EXPECT_FALSE(a.acquired->yes());
    EXPECT_EQ(lab.server.tree.find("/z") != nullptr, after == CuratorAfterException::goes_on);
    EXPECT_EQ(count_of(lab, "/z"), 0U) << "given back";
  }
}

// --- leases ----------------------------------------------------------------------------------------------

SetOptions semaphore(std::int64_t leases, CuratorMissingLease missing = CuratorMissingLease::dropped) {
  return zoo_options<CuratorSemaphoreOptions>([=](CuratorSemaphoreOptions& o) {
    quick(o.mutex.client);
    o.mutex.missing_lease = missing;
    o.leases = leases;
  });
}
struct LeaseUser : ZooLockClient {
  LeaseUser(ZooLab& lab, std::string_view name, const SetOptions& set)
      : ZooLockClient(lab, name, "curator-semaphore", set) {}
};

TEST(CuratorSemaphore, SoManyHoldAndTheOthersWait) {
  ZooLab lab;
  LeaseUser a(lab, "a", semaphore(2)), b(lab, "b", semaphore(2)), c(lab, "c", semaphore(2)), d(lab, "d", semaphore(2));
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire();
  lab.run_until(seconds(2));
  c.acquire();
  lab.run_until(seconds(3));
  d.acquire(seconds(2));
  EXPECT_TRUE(a.holds() && b.holds());
  EXPECT_FALSE(c.holds());
  lab.run_until(seconds(6));
  EXPECT_TRUE(d.acquired && d.acquired->refused()) << "c has the mutex in hand";
  b.release();
  lab.run_until(seconds(7));
  EXPECT_TRUE(c.holds());
  EXPECT_EQ(count_of(lab, "/door/leases"), 2U);
  EXPECT_EQ(count_of(lab, "/door/locks"), 0U);
}

TEST(CuratorSemaphore, ALeaseThatIsGoneIsTakenAnew) {
  for (const CuratorMissingLease missing : {CuratorMissingLease::dropped, CuratorMissingLease::kept}) {
    ZooLab lab;
    LeaseUser a(lab, "a", semaphore(1)), b(lab, "b", semaphore(1, missing));
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(2));
    const auto leases = testing::children_of(lab, "/door/leases");
    ASSERT_EQ(leases.size(), 2U);
    for (const std::string& lease : leases) {
      const std::string path = "/door/leases/" + lease;
      if (path != a.acquired->value().value) lab.execute(ZooKeeper::remove_part(path));
    }
    a.release();
    lab.run_until(seconds(10));
    ASSERT_TRUE(b.holds());
    b.release();
    lab.run_until(seconds(12));
    EXPECT_EQ(count_of(lab, "/door/leases"), missing == CuratorMissingLease::kept ? 1U : 0U)
        << "what was released is the lease that was gone";
  }
}

// The server dies before the inner mutex's node is deleted: release() throws, and the lease is in no list.
TEST(CuratorSemaphore, ALeaseIsLostIfTheInnerMutexCannotBeReleased) {
  for (const CuratorFailedUnlock failed : {CuratorFailedUnlock::leaks, CuratorFailedUnlock::returns}) {
    ZooLab lab;
    LeaseUser a(lab, "a", zoo_options<CuratorSemaphoreOptions>([&](CuratorSemaphoreOptions& o) {
      quick(o.mutex.client);
      o.mutex.client.retries = 0;
      o.mutex.failed_unlock = failed;
    }));
    lab.on(a.process.node(), mark::zoo_delete, [&](World& w) { w.kill(lab.zk); }, MarkSide::before);
    a.acquire();
    lab.run_until(seconds(3));
    lab.world.restart(lab.zk);
    lab.run_until(seconds(20));
    ASSERT_TRUE(a.acquired);
    EXPECT_TRUE(a.acquired->unknown());
    EXPECT_EQ(count_of(lab, "/door/locks"), 0U) << "deleted in the background";
    EXPECT_EQ(count_of(lab, "/door/leases"), failed == CuratorFailedUnlock::leaks ? 1U : 0U);
  }
}

TEST(CuratorSemaphoreMutex, IsOneLeaseAndDoesNotNest) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "curator-semaphore-mutex",
                  zoo_options<CuratorSemaphoreMutexOptions>([](CuratorSemaphoreMutexOptions& o) { quick(o.client); }));
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  const Hold hold = a.acquired->value();
  a.acquire(seconds(5));
  lab.run_until(seconds(10));
  EXPECT_TRUE(a.acquired && a.acquired->refused()) << "it waits for itself";
  a.release(hold);
  lab.run_until(seconds(11));
  EXPECT_TRUE(a.released->yes());
  a.release(hold);
  lab.run_until(seconds(12));
  EXPECT_TRUE(a.released->refused());
}

// --- the aspect --------------------------------------------------------------------------------------------

template <class Edit>
SetOptions aspect(Edit edit) {
  return zoo_options<CuratorAnnotationOptions>(edit);
}

TEST(CuratorAnnotation, ANestedCallOfTheSamePathWaitsForItself) {
  for (const CuratorInstance instance : {CuratorInstance::per_call, CuratorInstance::per_path}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "curator-annotation",
                    aspect([&](CuratorAnnotationOptions& o) { o.instance = instance; }));
    a.acquire();
    lab.run_until(seconds(1));
    ASSERT_TRUE(a.holds());
    a.acquire();
    lab.run_until(seconds(999));
    EXPECT_EQ(a.holds(), instance == CuratorInstance::per_path);
    lab.run_until(seconds(1002));
    EXPECT_TRUE(a.acquired) << "a thousand seconds later";
  }
}

TEST(CuratorAnnotation, AWaitInVainEndsInARelease) {
  for (const CuratorFinally release : {CuratorFinally::always, CuratorFinally::if_acquired}) {
    ZooLab lab;
    const auto set = aspect([&](CuratorAnnotationOptions& o) {
      o.release = release;
      o.wait = seconds(3);
    });
    ZooLockClient a(lab, "a", "curator-annotation", set), b(lab, "b", "curator-annotation", set);
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(5));
    ASSERT_TRUE(b.acquired && b.acquired->refused());
    EXPECT_EQ(b.acquired->error().empty(), release == CuratorFinally::if_acquired) << "IllegalMonitorState";
    a.release();
    lab.run_until(seconds(6));
    b.acquire();
    lab.run_until(seconds(7));
    EXPECT_TRUE(b.holds());
  }
}

}  // namespace
}  // namespace picklock
