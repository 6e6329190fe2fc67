#include "algorithms/curator/curator_leader_latch.hpp"

#include <gtest/gtest.h>

#include "algorithms/curator/curator_lab.hpp"

namespace picklock {
namespace curator_leader_latch_test {

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

struct LatchLab : testing::ZooLabOf<CuratorLatchOptions> {
  LatchLab() : ZooLabOf("curator-leader-latch", [](auto& o) { testing::quick(o.client); }) {}
};

TEST(CuratorLeaderLatch, LatchesLeadInTheOrderOfTheirNodes) {
  LatchLab lab;
  auto &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
  lab.acquire(a, b, c);
  EXPECT_TRUE(a.holds());
  EXPECT_FALSE(b.acquired);
  EXPECT_EQ(lab.nodes(), 3U);
  lab.release(a);
  EXPECT_TRUE(a.gave_back());
  EXPECT_TRUE(b.holds());
  EXPECT_FALSE(c.acquired);
  lab.release(b);
  EXPECT_TRUE(c.holds());
  lab.release(c);
  EXPECT_EQ(lab.nodes(), 0U);
  c.release();
  lab.pass(ms(10));
  EXPECT_TRUE(c.released->refused()) << "closed already";
}

TEST(CuratorLeaderLatch, AnAwaitWhoseTimeIsOverClosesItsLatch) {
  LatchLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  b.acquire(seconds(2));
  lab.pass(ms(1900));
  EXPECT_EQ(lab.nodes(), 2U);
  lab.pass(ms(1000));
  EXPECT_TRUE(b.refused());
  EXPECT_EQ(lab.nodes(), 1U);
}

// The task that asks for a handle is stopped until then, so there is nothing to forget.
TEST(CuratorLeaderLatch, AnAwaitWhoseTimeIsOverClosesALatchThatNeverConnected) {
  LatchLab lab;
  auto& a = lab.client("a");
  lab.stop(a, "latch-start");
  a.acquire(ms(10));
  lab.pass(seconds(1));
  EXPECT_TRUE(a.refused());
  EXPECT_EQ(lab.nodes(), 0U);
}

TEST(CuratorLeaderLatch, AnAbandonedAcquireLeavesItsNode) {
  LatchLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  b.acquire_and_abandon(seconds(2));
  lab.pass(seconds(4));
  EXPECT_EQ(lab.nodes(), 2U);
  lab.release(a);
  lab.pass(seconds(4));
  EXPECT_EQ(lab.nodes(), 1U) << "first, and nobody leads";
}

TEST(CuratorLeaderLatch, ALatchThatIsClosedWhileItIsCreatedDeletesItsNode) {
  LatchLab lab;
  auto& a = lab.client("a");
  lab.enter_and_leave(a);
  lab.before(a, mark::zoo_create, [&] { a.process.deafen(); });
  a.acquire(ms(500));
  lab.pass(seconds(1));
  EXPECT_TRUE(a.refused());
  EXPECT_EQ(lab.nodes(), 1U);
  a.process.repair();
  lab.pass(seconds(20));
  EXPECT_EQ(lab.nodes(), 0U);
}

TEST(CuratorLeaderLatch, ALeaderHearsOfItsConnectionAsItsListenerWants) {
  for (const CuratorReaction reaction :
       {CuratorReaction::ignores, CuratorReaction::stops_at_suspended, CuratorReaction::stops_at_lost}) {
    LatchLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.client.reaction = reaction; });
    lab.acquire(a);
    ASSERT_TRUE(a.holds());
    EXPECT_EQ(a.lock->lost() == nullptr, reaction == CuratorReaction::ignores);
    a.process.cut();
    lab.pass(seconds(5));
    EXPECT_EQ(a.lost(), reaction == CuratorReaction::stops_at_suspended);
    lab.pass(seconds(7));
    EXPECT_EQ(a.lost(), reaction != CuratorReaction::ignores) << "the session is given up";
  }
}

// CURATOR-696: the session is given up while its node is still there.
TEST(CuratorLeaderLatch, ANodeOfTheSessionBeforeIsTakenForItsOwnUntil57) {
  for (const CuratorLatchRelease release : {CuratorLatchRelease::v5_6, CuratorLatchRelease::v5_9}) {
    LatchLab lab;
    const auto set = [&](auto& o) {
      o.release = release;
      o.client.session = seconds(20);
      o.client.expiration_percent = 1;
      o.client.reaction = CuratorReaction::ignores;
    };
    auto &b = lab.client("b", set), &a = lab.client("a", set);
    lab.acquire(b, a);
    ASSERT_TRUE(b.holds());
    a.process.cut();
    lab.release(b);
    lab.pass(seconds(13));
    ASSERT_EQ(lab.nodes(), 1U) << "of the session that a has given up";
    a.process.repair();
    lab.pass(seconds(5));
    ASSERT_TRUE(a.holds());
    lab.pass(seconds(24));
    const bool checks = release == CuratorLatchRelease::v5_9;
    EXPECT_EQ(lab.find(a.hold().value) != nullptr, checks) << "or it leads, and its node is gone";
  }
}

// The answer to the list finds no node of its own: the closed latch creates another one, and deletes it.
TEST(CuratorLeaderLatch, ALatchThatIsClosedWhileItChecksMakesOneMoreNode) {
  for (const CuratorLatchRelease release :
       {CuratorLatchRelease::v5_3, CuratorLatchRelease::v5_6, CuratorLatchRelease::v5_9}) {
    LatchLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.release = release; });
    lab.enter_and_leave(a);
    const auto creates = lab.find("/door")->creates;
    lab.before(a, mark::zoo_get_children, [&] { a.process.deafen(); });
    a.acquire(ms(500));
    lab.pass(seconds(1));
    EXPECT_TRUE(a.refused());
    a.process.repair();
    lab.pass(seconds(20));
    EXPECT_EQ(lab.nodes(), 0U);
    EXPECT_EQ(lab.find("/door")->creates - creates, 2);
    EXPECT_FALSE(a.lost());
  }
}

}  // namespace curator_leader_latch_test
}  // namespace picklock
