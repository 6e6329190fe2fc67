#include "algorithms/zookeeper/zookeeper_write_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock {
namespace {

using testing::ZooLabOf;

struct WriteLockLab : ZooLabOf<ZookeeperWriteLockOptions> {
  explicit WriteLockLab(Edit usual = {}) : ZooLabOf("zookeeper-write-lock", std::move(usual)) {}
};

TEST(ZookeeperWriteLock, APredecessorThatIsGoneIsWaitedForForEver) {
  for (const ZkGone gone : {ZkGone::hangs, ZkGone::lists_again}) {
    WriteLockLab lab([=](auto& o) { o.predecessor_gone = gone; });
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a);
    lab.before(b, *find_mark("exists"), [&lab, first = lab.first()] { lab.remove(first); });
    lab.acquire(b);
    lab.pass(seconds(98));
    EXPECT_EQ(b.holds(), gone == ZkGone::lists_again);
    EXPECT_EQ(lab.nodes(), 1U) << "it stands first all the same";
  }
}

TEST(ZookeeperWriteLock, AnIdThatWasFoundAgainIsNoPath) {
  for (const ZkRecovered recovered : {ZkRecovered::name, ZkRecovered::path}) {
    WriteLockLab lab([=](auto& o) { o.recovered = recovered; });
    auto& a = lab.client("a");
    lab.enter_and_leave(a);
    a.acquire();  // its list is answered, its create is not
    lab.before(
        a, mark::zoo_create, [&] { a.process.deafen(); }, 2);
    lab.pass(seconds(8));
    a.process.repair();
    lab.pass(seconds(50));
    EXPECT_EQ(a.holds(), recovered == ZkRecovered::path);
    ASSERT_EQ(lab.nodes(), 1U) << "found, in any case";
    EXPECT_EQ(a.token(), a.holds() ? lab.find(lab.first())->czxid : 0);
  }
}

// The name has the number of its path, and the path sorts before it: the node before its own is its own.
TEST(ZookeeperWriteLock, AnIdThatWasFoundAgainWatchesItsOwnNode) {
  WriteLockLab lab;
  auto &first = lab.client("first"), &a = lab.client("a");
  lab.enter_and_leave(a);
  lab.acquire(first);
  a.acquire();
  lab.before(
      a, mark::zoo_create, [&] { a.process.deafen(); }, 2);
  lab.pass(seconds(8));
  a.process.repair();
  lab.pass(seconds(10));
  ASSERT_EQ(lab.nodes(), 2U);
  lab.release(first);
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(lab.server.watches(), 1U) << "it was not the first one's node that it watched";
  lab.remove(lab.first());
  lab.pass(seconds(1));
  EXPECT_TRUE(a.holds()) << "woken by the end of its own node, it found none and made another";
}

TEST(ZookeeperWriteLock, ASessionThatExpiresWithinLockIsThrown) {
  WriteLockLab lab;
  auto& a = lab.client("a");
  lab.enter_and_leave(a);
  a.acquire();
  lab.after(a, mark::zoo_create, [&] { a.process.cut(); });
  lab.pass(seconds(20));
  EXPECT_FALSE(a.acquired) << "it tries again after each ConnectionLoss";
  a.process.repair();
  lab.pass(seconds(5));
  ASSERT_TRUE(a.refused());
  EXPECT_EQ(a.acquired->error(), "session expired");
  lab.acquire(a);
  EXPECT_TRUE(a.holds()) << "with the handle that its process has made since";
}

TEST(ZookeeperWriteLock, TwoOfOneSessionTakeOneNodeForTheirs) {
  for (const ZkPrefix prefix : {ZkPrefix::session, ZkPrefix::guid}) {
    WriteLockLab lab([=](auto& o) { o.prefix = prefix, o.recovered = ZkRecovered::path; });
    auto& p = lab.process("p");
    auto &a = lab.thread(p, 1), &b = lab.thread(p, 2);
    lab.acquire(a, b);
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(b.holds(), prefix == ZkPrefix::session) << "both at once";
  }
}

// ZOOKEEPER-2931: b's session is older, and so sorts before a's node.
TEST(ZookeeperWriteLock, SortedByPathALaterArrivalStandsFirst) {
  for (const ZkOrder order : {ZkOrder::path, ZkOrder::number}) {
    WriteLockLab lab([=](auto& o) { o.order = order; });
    auto &older = lab.process("older"), &younger = lab.process("younger");
    auto& opens_the_session = lab.add(older, 2, "zookeeper-lock", {}, [](LockContext& c) { c.name = "/elsewhere"; });
    auto &b = lab.thread(older, 1), &a = lab.thread(younger, 1);
    lab.acquire(opens_the_session, a, b);
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(b.holds(), order == ZkOrder::path);
  }
}

}  // namespace
}  // namespace picklock
