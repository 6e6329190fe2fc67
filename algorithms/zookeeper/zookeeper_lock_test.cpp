#include "algorithms/zookeeper/zookeeper_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock {
namespace {

using testing::ZooLabOf;
using testing::ZooLockLab;

struct RecipeLab : ZooLabOf<ZookeeperLockOptions> {
  explicit RecipeLab(Edit usual = {}) : ZooLabOf("zookeeper-lock", std::move(usual)) {}
};

// --- the queue

using Names = std::vector<std::string>;
TEST(ZookeeperLock, EachWaitsForTheNextLower) {
  const Names all = {"c-lock-0000000007", "a-lock-0000000003", "b-lock-0000000005", "stranger"};
  EXPECT_EQ(zk_blocker(all, "a-lock-0000000003", ZkQueue::exclusive), "");
  EXPECT_EQ(zk_blocker(all, "c-lock-0000000007", ZkQueue::exclusive), "b-lock-0000000005");
  EXPECT_EQ(zk_blocker(all, "d-lock-0000000008", ZkQueue::exclusive), std::nullopt) << "not there";
  const Names turned = {"a-lock--2147483648", "b-lock-2147483647"};
  EXPECT_EQ(zk_blocker(turned, "a-lock--2147483648", ZkQueue::exclusive), "") << "first, though it came last";
  constexpr ZkNameOrder kWrapped = ZkNameOrder::wrapped_number;
  EXPECT_EQ(zk_blocker(turned, "a-lock--2147483648", ZkQueue::exclusive, kWrapped), "b-lock-2147483647");
  EXPECT_EQ(zk_blocker(turned, "b-lock-2147483647", ZkQueue::exclusive, kWrapped), "");
}
TEST(ZookeeperLock, AReaderWaitsForTheNextLowerWriter) {
  const Names all = {"a-read-0000000000", "b-write-0000000001", "c-read-0000000002", "d-read-0000000003",
                     "e-write-0000000004"};
  EXPECT_EQ(zk_blocker(all, "a-read-0000000000", ZkQueue::read_write), "");
  EXPECT_EQ(zk_blocker(all, "b-write-0000000001", ZkQueue::read_write), "a-read-0000000000");
  EXPECT_EQ(zk_blocker(all, "d-read-0000000003", ZkQueue::read_write), "b-write-0000000001");
  EXPECT_EQ(zk_blocker(all, "e-write-0000000004", ZkQueue::read_write), "d-read-0000000003");
}

// The node before vanishes between the list and the watch.
TEST(ZookeeperLock, APredecessorThatVanishesBeforeItIsWatchedCostsAnotherLook) {
  RecipeLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  std::string second;
  lab.before(b, *find_mark("exists"), [&] {
    lab.remove(lab.first());
    second = lab.first();
    lab.remove(second);
  });
  b.acquire();
  lab.pass(seconds(2));
  ASSERT_TRUE(b.holds()) << "with a node of its own, even if somebody has deleted the first";
  EXPECT_NE(b.hold().value, second);
  EXPECT_EQ(lab.nodes(), 1U);
}

// Notifications for one release with n waiters: one, or all of them.
int notifications_of_a_release(std::string_view kind, int waiters) {
  ZooLockLab lab;
  const auto client = [&](const std::string& name) -> auto& { return lab.add(lab.process(name), 1, kind); };
  auto& holder = client("holder");
  lab.acquire(holder);
  for (int i = 0; i < waiters; ++i) client("c" + std::to_string(i)).acquire();
  lab.pass(seconds(2));
  lab.server.requests.clear();
  lab.release(holder);
  EXPECT_TRUE(holder.gave_back());
  return lab.server.requests["notification"];
}
TEST(ZookeeperLock, AReleaseWakesOneInTheQueueAndAllInTheHerd) {
  EXPECT_EQ(notifications_of_a_release("zookeeper-lock", 20), 1);
  EXPECT_EQ(notifications_of_a_release("zookeeper-herd-lock", 20), 20);
  EXPECT_EQ(notifications_of_a_release("zookeeper-parent-watch-lock", 20), 20);
}

// --- releases

TEST(ZookeeperLock, AReleaseWhoseAnswerIsLostIsARelease) {
  RecipeLab lab;
  auto& a = lab.client("a");
  lab.acquire(a);
  a.process.deafen();
  EXPECT_EQ(lab.nodes(), 1U);
  a.release();
  lab.pass(seconds(8));
  EXPECT_EQ(lab.nodes(), 0U);
  EXPECT_FALSE(a.released.has_value());
  a.process.repair();
  lab.pass(seconds(6));
  ASSERT_TRUE(a.released.has_value());
  EXPECT_TRUE(a.gave_back());
}

TEST(ZookeeperLock, OfAnExpiredSessionNothingCanBeReleased) {
  RecipeLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a, b);
  lab.pause(a, seconds(20));
  lab.pass(seconds(18));
  EXPECT_TRUE(b.holds());
  a.release();
  lab.pass(seconds(10));
  ASSERT_TRUE(a.released.has_value());
  EXPECT_EQ(a.released->why(), Why::refused);
  EXPECT_EQ(lab.nodes(), 1U) << "b's";
  lab.acquire(a);
  EXPECT_FALSE(a.acquired);
  EXPECT_EQ(lab.nodes(), 2U) << "a new session queues again";
}

// The node may be there, and its turn would come without a waiting client.
TEST(ZookeeperLock, APatienceThatEndsInDoubtDeletesWhatItMayHaveCreated) {
  RecipeLab lab;
  auto& a = lab.client("a");
  lab.enter_and_leave(a);
  lab.before(a, mark::zoo_create, [&] { a.process.deafen(); });
  a.acquire(seconds(3));
  lab.pass(seconds(8));
  EXPECT_TRUE(a.in_doubt());
  EXPECT_EQ(lab.nodes(), 1U);
  a.process.repair();
  lab.pass(seconds(5));
  EXPECT_EQ(lab.nodes(), 0U);
}

// --- tokens

TEST(ZookeeperLock, OnlyCzxidsGrowThroughADirectoryThatWasDeleted) {
  for (const ZkToken token : {ZkToken::czxid, ZkToken::sequence}) {
    RecipeLab lab([=](auto& o) { o.token = token, o.container = true; });
    auto& a = lab.client("a");
    std::vector<std::int64_t> tokens;
    for (int i = 0; i < 3; ++i) {
      if (i == 2) {  // the 60 s of a container are over
        ASSERT_EQ(lab.server.tree.containers_to_remove(), Names{"/door"});
        lab.remove("/door");
      }
      lab.acquire(a);
      tokens.push_back(a.token());
      lab.release(a);
    }
    EXPECT_LT(tokens[0], tokens[1]);
    EXPECT_EQ(tokens[1] < tokens[2], token == ZkToken::czxid) << tokens[2];
  }
}

}  // namespace
}  // namespace picklock
