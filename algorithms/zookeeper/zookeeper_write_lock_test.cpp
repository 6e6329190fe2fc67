#include "algorithms/zookeeper/zookeeper_write_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::children_of;
using testing::count_of;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;

template <class Edit>
auto with(Edit edit) {
  return zoo_options<ZookeeperWriteLockOptions>(edit);
}

TEST(ZookeeperWriteLock, APredecessorThatIsGoneIsWaitedForForEver) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    const auto set = with([=](auto& o) {
      if (mended) o.predecessor_gone = ZkGone::lists_again;
    });
    ZooLockClient a(lab, "a", "zookeeper-write-lock", set), b(lab, "b", "zookeeper-write-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    const std::string first = children_of(lab, "/door").front();
    lab.on(b.process.node(), *find_mark("exists"),
           [&](World&) { lab.execute(ZooKeeper::remove_part("/door/" + first)); }, MarkSide::before);
    b.acquire();
    lab.run_until(seconds(100));
    EXPECT_EQ(b.holds(), mended);
    EXPECT_EQ(count_of(lab, "/door"), 1U) << "it stands first all the same";
  }
}

TEST(ZookeeperWriteLock, AnIdThatWasFoundAgainIsNoPath) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zookeeper-write-lock", with([=](auto& o) {
                      if (mended) o.recovered = ZkRecovered::path;
                    }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.acquire();  // its list is answered, its create is not
    lab.on(a.process.node(), mark::zoo_create, [&](World&) { a.process.deafen(); }, MarkSide::before, 2);
    lab.run_until(seconds(10));
    a.process.mend();
    lab.run_until(seconds(60));
    EXPECT_EQ(a.holds() && a.acquired_at > seconds(2), mended);
    EXPECT_EQ(count_of(lab, "/door"), 1U) << "found, in any case";
  }
}

TEST(ZookeeperWriteLock, TwoOfOneSessionTakeOneNodeForTheirs) {
  for (const ZkPrefix prefix : {ZkPrefix::session, ZkPrefix::guid}) {
    ZooLab lab;
    ZooLockProcess p(lab, "p");
    const auto set = with([=](auto& o) {
      o.prefix = prefix;
      o.recovered = ZkRecovered::path;
    });
    ZooLockClient a(p, "zookeeper-write-lock", set, 1), b(p, "zookeeper-write-lock", set, 2);
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(2));
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(b.holds(), prefix == ZkPrefix::session) << "both at once";
  }
}

// ZOOKEEPER-2931: b's session is older, and so sorts before a's node.
TEST(ZookeeperWriteLock, SortedByPathALaterArrivalStandsFirst) {
  for (const ZkOrder order : {ZkOrder::path, ZkOrder::number}) {
    ZooLab lab;
    const auto set = with([=](auto& o) { o.order = order; });
    ZooLockProcess older(lab, "older"), younger(lab, "younger");
    ZooLockClient b(older, "zookeeper-write-lock", set), a(younger, "zookeeper-write-lock", set);
    ZooLockClient early(older, "zookeeper-lock", {}, 2, [](LockContext& c) { c.name = "/elsewhere"; });
    early.acquire();  // opens the session
    lab.run_until(seconds(1));
    a.acquire();
    lab.run_until(seconds(2));
    b.acquire();
    lab.run_until(seconds(3));
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(b.holds(), order == ZkOrder::path);
  }
}

}  // namespace
}  // namespace picklock
