#include <gtest/gtest.h>

#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"
#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock {
namespace {

using testing::ms;
using testing::ZooLabOf;

constexpr auto kShortSession = [](auto& o) { o.session = seconds(6); };
struct GoLab : ZooLabOf<GoZookeeperLockOptions> {
  GoLab() : ZooLabOf("go-zookeeper-lock", kShortSession, go_zookeeper_options()) {}
};
struct ChannelLab : ZooLabOf<GoZookeeperChannelLockOptions> {
  ChannelLab() : ZooLabOf("go-zookeeper-channel-lock", kShortSession, go_zookeeper_options()) {}
};

TEST(GoZookeeperLock, SequencesAreReadBehindTheLastDash) {
  EXPECT_EQ(go_zk_sequence("_c_0123-lock-0000000012"), 12);
  EXPECT_EQ(go_zk_sequence("_c_0123-lock--2147483648"), 2147483648) << "an overflowed counter";
  EXPECT_EQ(go_zk_sequence("stranger"), std::nullopt);
  const std::vector<std::string> overflowed{"_c_a-lock-2147483647", "_c_b-lock--2147483648", "_c_c-lock--2147483647"};
  EXPECT_TRUE(go_zk_place(overflowed, 2147483647, overflowed[0]).lowest);
  EXPECT_TRUE(go_zk_place(overflowed, 2147483647, overflowed[2]).lowest) << "two holders";
  EXPECT_FALSE(go_zk_place(overflowed, 2147483648, overflowed[1]).lowest);
}

TEST(GoZookeeperLock, ASecondLockOfTheObjectIsADeadlock) {
  GoLab lab;
  auto& a = lab.client("a");
  lab.acquire(a);
  EXPECT_TRUE(a.holds());
  lab.acquire(a);
  EXPECT_TRUE(a.refused());
  EXPECT_EQ(lab.nodes(), 1U);
}

// samuel/go-zookeeper#229
TEST(GoZookeeperLock, AnErrorLeavesANodeBehindWhichItWaitsItself) {
  for (const GoZkOrphan orphan : {GoZkOrphan::left, GoZkOrphan::deleted}) {
    GoLab lab;
    auto &a = lab.client("a", [&](auto&o) { o.orphan = orphan; }), &b = lab.client("b");
    lab.acquire(b);
    // The list that follows the create is not answered: the connection ends, the session lives.
    lab.after(a, mark::zoo_create, [&] { a.process.deafen(); });
    a.acquire();
    lab.pass(seconds(5));
    a.process.repair();
    lab.pass(seconds(9));
    ASSERT_TRUE(a.acquired);
    EXPECT_EQ(a.in_doubt(), orphan == GoZkOrphan::left);
    lab.release(b);
    EXPECT_EQ(lab.nodes(), orphan == GoZkOrphan::left ? 1U : 0U);
    a.acquire();
    lab.pass(seconds(84));
    EXPECT_EQ(a.holds(), orphan == GoZkOrphan::deleted) << "for as long as its session lives";
  }
}

TEST(GoZookeeperLock, ItHoldsWithoutANodeUnlessItLooksForIt) {
  for (const GoZkNodeCheck check : {GoZkNodeCheck::never, GoZkNodeCheck::listed}) {
    GoLab lab;
    auto &b = lab.client("b"), &a = lab.client("a", [&](auto&o) { o.node_check = check; });
    lab.enter_and_leave(b);
    // Between its create and its list the goroutine stops, and the node goes, as with its session.
    lab.after(a, mark::zoo_create, [&] { lab.stop(a, "lock"); });
    lab.acquire(a);
    ASSERT_EQ(lab.nodes(), 1U);
    lab.remove(lab.first());
    lab.go_on(a, "lock");
    lab.pass(seconds(5));
    EXPECT_EQ(a.holds(), check == GoZkNodeCheck::never);
    EXPECT_EQ(lab.nodes(), 0U);
  }
}

TEST(GoZookeeperLock, AWaiterOutlivesALostConnectionAndNotItsSession) {
  for (const bool in_time : {true, false}) {
    GoLab lab;
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a, b);
    if (in_time) {
      lab.restart_server(seconds(1));
    } else {
      lab.cut(b, seconds(28));
    }
    lab.pass(seconds(5));
    EXPECT_EQ(b.acquired.has_value(), !in_time) << "ErrSessionExpired comes by its watch";
    lab.release(a);
    EXPECT_TRUE(a.gave_back());
    EXPECT_EQ(b.holds(), in_time);
  }
}

TEST(GoZookeeperLock, AnUnlockThatFindsNoNodeLocksTheObjectForGood) {
  for (const GoZkUnlock unlock : {GoZkUnlock::keeps_path, GoZkUnlock::clears_path}) {
    GoLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.unlock = unlock; });
    lab.acquire(a);
    lab.cut(a, seconds(19));
    lab.pass(seconds(5));
    lab.release(a);
    ASSERT_TRUE(a.released && a.released->refused());
    lab.acquire(a);
    EXPECT_EQ(a.holds(), unlock == GoZkUnlock::clears_path);
  }
}

// Handles die with their session in the simulated library; the real Conn goes on.
TEST(GoZookeeperLock, AConnNeedsNoHelpToGoOnAfterItsSession) {
  ZooLabOf<GoZookeeperLockOptions> lab("go-zookeeper-lock");
  auto& a = lab.client("a", [](auto& o) { o.session = seconds(6), o.unlock = GoZkUnlock::clears_path; });
  lab.acquire(a);
  lab.cut(a, seconds(19));
  EXPECT_EQ(lab.nodes(), 0U);
  lab.pass(seconds(5));
  lab.release(a);
  lab.acquire(a);
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(lab.nodes(), 1U);
}

TEST(GoZookeeperLock, WhoGivesUpLeavesAGoroutineThatTakesTheLock) {
  GoLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  b.acquire(seconds(1));
  lab.pass(seconds(2));
  EXPECT_TRUE(b.in_doubt());
  a.release();
  lab.pass(seconds(57));
  EXPECT_EQ(lab.nodes(), 1U) << "nobody's";
  lab.acquire(b);
  EXPECT_TRUE(b.refused());
}

// --- the article's version

TEST(GoZookeeperChannelLock, TheLibrarysLockBehindItIsNeverUnlocked) {
  for (const bool library : {true, false}) {
    ChannelLab lab;
    const auto with = [&](auto& o) { o.library_lock = library; };
    auto &a = lab.client("a", with), &b = lab.client("b", with);
    lab.acquire(a);
    EXPECT_TRUE(a.holds());
    lab.release(a);
    EXPECT_EQ(lab.nodes(), 0U) << "free";
    b.acquire(seconds(5));
    lab.pass(seconds(98));
    EXPECT_EQ(b.holds(), !library);
    EXPECT_EQ(b.acquired.has_value(), !library) << "its patience counts only once Lock() has returned";
  }
}

TEST(GoZookeeperChannelLock, NobodyReadsTheStopOfAHolder) {
  for (const GoZkStop stop : {GoZkStop::sent_always, GoZkStop::while_waiting}) {
    ChannelLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.stop = stop; });
    lab.acquire(a);
    lab.release(a);
    lab.pass(seconds(98));
    EXPECT_EQ(a.released.has_value(), stop == GoZkStop::while_waiting);
    EXPECT_EQ(lab.nodes(), stop == GoZkStop::sent_always ? 1U : 0U);
  }
}

TEST(GoZookeeperChannelLock, AnUnlockThatComesBeforeThePathDeletesNothing) {
  for (const GoZkPath path : {GoZkPath::after_grant, GoZkPath::before_grant}) {
    ChannelLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.path = path; });
    lab.on(a.node(), mark::yields, [&](World&) { lab.stop(a, "watch"); });
    lab.acquire(a);
    ASSERT_TRUE(a.holds());
    lab.release(a);
    lab.pass(seconds(58));
    ASSERT_TRUE(a.released);
    EXPECT_EQ(a.gave_back(), path == GoZkPath::before_grant);
    EXPECT_EQ(lab.nodes(), path == GoZkPath::after_grant ? 1U : 0U);
  }
}

TEST(GoZookeeperChannelLock, OnAnUnbufferedChannelAnErrorIsToldToNobody) {
  for (const GoGet get : {GoGet::unbuffered, GoGet::per_call}) {
    ChannelLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.get = get; });
    lab.acquire(a);
    EXPECT_TRUE(a.holds());
    lab.acquire(a);  // lockpath is set
    lab.pass(seconds(58));
    EXPECT_EQ(a.acquired.has_value(), get == GoGet::per_call);
  }
}

TEST(GoZookeeperChannelLock, OnABufferedChannelTheNextLockHearsOfTheGrantOfTheOneGivenUp) {
  for (const GoGet get : {GoGet::buffered, GoGet::per_call}) {
    ChannelLab lab;
    auto &a = lab.client("a"), &b = lab.client("b", [&](auto&o) { o.get = get; });
    lab.acquire(a);
    b.acquire(seconds(1));
    lab.pass(seconds(2));
    ASSERT_TRUE(b.in_doubt());
    lab.acquire(b);
    lab.release(a);
    EXPECT_EQ(b.holds(), get == GoGet::buffered) << "else it waits behind its own first node";
    EXPECT_EQ(lab.nodes(), 2U);
    if (!b.holds()) continue;
    b.release();
    lab.pass(seconds(55));
    EXPECT_EQ(lab.nodes(), 0U) << "UnLock() has stopped its second goroutine, which cleaned up";
  }
}

TEST(GoZookeeperChannelLock, AStrangeChildIsTakenForNumberZero) {
  for (const GoZkParseError parse : {GoZkParseError::goes_on, GoZkParseError::ends}) {
    ChannelLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.parse_error = parse; });
    lab.pass(ms(100));
    lab.make("/door");
    lab.make("/door/stranger");
    a.acquire();
    lab.pass(seconds(20));
    ASSERT_TRUE(a.acquired);
    EXPECT_FALSE(a.holds());
    EXPECT_EQ(lab.nodes(), parse == GoZkParseError::goes_on ? 2U : 1U) << "false was told, and it waits on";
  }
}

TEST(GoZookeeperChannelLock, AWaiterThatIsStoppedLeavesItsNode) {
  for (const GoZkOrphan orphan : {GoZkOrphan::left, GoZkOrphan::deleted}) {
    ChannelLab lab;
    auto &a = lab.client("a"), &b = lab.client("b", [&](auto&o) { o.orphan = orphan; });
    lab.acquire(a);
    b.acquire(seconds(1));
    lab.pass(seconds(2));
    ASSERT_TRUE(b.in_doubt());
    lab.release(b);
    EXPECT_TRUE(b.released);
    EXPECT_EQ(lab.nodes(), orphan == GoZkOrphan::left ? 2U : 1U);
  }
}

TEST(GoZookeeperChannelLock, AsWrittenAnObjectLocksOnce) {
  for (const GoZkUnlock unlock : {GoZkUnlock::keeps_path, GoZkUnlock::clears_path}) {
    ChannelLab lab;
    auto& a = lab.client("a", [&](auto& o) { o.unlock = unlock; });
    lab.enter_and_leave(a);
    EXPECT_TRUE(a.gave_back());
    lab.acquire(a);
    EXPECT_EQ(a.holds(), unlock == GoZkUnlock::clears_path);
  }
}

TEST(GoZookeeperChannelLock, AsWrittenItNeverComesFreeAgain) {
  ChannelLab lab;
  const auto as_written = [](auto& o) { o = GoZookeeperChannelLockOptions::of(ArticlePreset::as_published); };
  auto &a = lab.client("a", as_written), &b = lab.client("b", as_written);
  lab.acquire(a);
  ASSERT_TRUE(a.holds());
  a.release();
  lab.acquire(b);
  lab.pass(seconds(198));
  EXPECT_FALSE(a.released);
  EXPECT_FALSE(b.acquired);
}

}  // namespace
}  // namespace picklock
