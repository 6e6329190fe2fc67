#include <gtest/gtest.h>

#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"
#include "algorithms/zookeeper/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::children_of;
using testing::count_of;
using testing::ms;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;

template <class Edit>
auto with(Edit edit) {
  return zoo_options<GoZookeeperLockOptions>([edit](GoZookeeperLockOptions& o) {
    o.session = seconds(6);
    edit(o);
  });
}
template <class Edit>
auto channel_with(Edit edit) {
  return zoo_options<GoZookeeperChannelLockOptions>([edit](GoZookeeperChannelLockOptions& o) {
    o.session = seconds(6);
    edit(o);
  });
}

struct GoUser : ZooLockClient {
  explicit GoUser(ZooLab& lab, std::string_view name, const SetOptions& set = with([](auto&) {}))
      : ZooLockClient(lab, name, "go-zookeeper-lock", set, go_zookeeper_options()) {}
};
struct ChannelUser : ZooLockClient {
  explicit ChannelUser(ZooLab& lab, std::string_view name, const SetOptions& set = channel_with([](auto&) {}))
      : ZooLockClient(lab, name, "go-zookeeper-channel-lock", set, go_zookeeper_options()) {}
};

template <class User>
void grants_in_order(ZooLab& lab, User& a, User& b) {
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  b.acquire();
  lab.run_until(seconds(2));
  EXPECT_FALSE(b.holds());
  a.release();
  lab.run_until(seconds(3));
  EXPECT_TRUE(a.released && a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_LT(*a.acquired->value().token, *b.acquired->value().token);
  a.acquire();
  lab.run_until(seconds(4));
  EXPECT_FALSE(a.holds());
  b.release();
  lab.run_until(seconds(5));
  EXPECT_TRUE(a.holds()) << "an object can be locked again";
  EXPECT_EQ(count_of(lab, "/door"), 1U);
}

TEST(GoZookeeperLock, GrantsInTheOrderOfTheCreates) {
  ZooLab lab;
  GoUser a(lab, "a"), b(lab, "b");
  grants_in_order(lab, a, b);
}

TEST(GoZookeeperLock, SequencesAreReadBehindTheLastDash) {
  EXPECT_EQ(go_zk_sequence("_c_0123-lock-0000000012"), 12);
  EXPECT_EQ(go_zk_sequence("_c_0123-lock--2147483648"), 2147483648) << "an overflowed counter";
  EXPECT_EQ(go_zk_sequence("stranger"), std::nullopt);
  const std::vector<std::string> overflowed{"_c_a-lock-2147483647", "_c_b-lock--2147483648", "_c_c-lock--2147483647"};
  EXPECT_TRUE(go_zk_place(overflowed, 2147483647, overflowed[0]).lowest);
  EXPECT_TRUE(go_zk_place(overflowed, 2147483647, overflowed[2]).lowest) << "two holders";
}

TEST(GoZookeeperLock, ASecondLockOfTheObjectIsADeadlock) {
  ZooLab lab;
  GoUser a(lab, "a");
  a.acquire();
  lab.run_until(seconds(1));
  a.acquire();
  lab.run_until(seconds(2));
  EXPECT_TRUE(a.acquired->refused());
  EXPECT_EQ(count_of(lab, "/door"), 1U);
}

// samuel/go-zookeeper#229
TEST(GoZookeeperLock, AnErrorLeavesANodeBehindWhichItWaitsItself) {
  for (const GoZkOrphan orphan : {GoZkOrphan::left, GoZkOrphan::deleted}) {
    ZooLab lab;
    GoUser a(lab, "a", with([&](GoZookeeperLockOptions& o) { o.orphan = orphan; })), b(lab, "b");
    b.acquire();
    lab.run_until(seconds(1));
    // The list that follows the create is not answered: the connection ends, the session lives.
    a.acquire();
    lab.on(a.process.node(), mark::zoo_create, [&](World&) { a.process.deafen(); }, MarkSide::after);
    lab.run_until(seconds(6));
    a.process.mend();
    lab.run_until(seconds(15));
    ASSERT_TRUE(a.acquired);
    EXPECT_EQ(a.acquired->unknown(), orphan == GoZkOrphan::left);
    b.release();
    lab.run_until(seconds(16));
    EXPECT_EQ(count_of(lab, "/door"), orphan == GoZkOrphan::left ? 1U : 0U);
    a.acquire();
    lab.run_until(seconds(100));
    EXPECT_EQ(a.holds(), orphan == GoZkOrphan::deleted) << "for as long as its session lives";
  }
}

TEST(GoZookeeperLock, ItHoldsWithoutANodeUnlessItLooksForIt) {
  for (const GoZkNodeCheck check : {GoZkNodeCheck::never, GoZkNodeCheck::listed}) {
    ZooLab lab;
    GoUser b(lab, "b"), a(lab, "a", with([&](GoZookeeperLockOptions& o) { o.node_check = check; }));
    b.acquire();
    lab.run_until(seconds(1));
    b.release();
    lab.run_until(seconds(2));
    a.acquire();
    // Between its create and its list the goroutine stops, and the node goes, as with its session.
    lab.on(a.process.node(), mark::zoo_create, [&](World& w) { w.pause_task(a.process.node(), "lock"); },
           MarkSide::after);
    lab.run_until(seconds(3));
    ASSERT_EQ(count_of(lab, "/door"), 1U);
    lab.execute(ZooKeeper::remove_part("/door/" + children_of(lab, "/door")[0]));
    lab.world.resume_task(a.process.node(), "lock");
    lab.run_until(seconds(8));
    EXPECT_EQ(a.holds(), check == GoZkNodeCheck::never);
    EXPECT_EQ(count_of(lab, "/door"), 0U);
  }
}

// A create without an answer, and a node of another session where its own was.
TEST(GoZookeeperLock, TheNodeOfAnotherSessionIsTakenForItsOwnUnlessItAsks) {
  for (const GoZkGuidSearch search : {GoZkGuidSearch::any_session, GoZkGuidSearch::own_session}) {
    ZooLab lab;
    GoUser a(lab, "a", with([&](GoZookeeperLockOptions& o) { o.guid_search = search; }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    lab.on(a.process.node(), mark::zoo_create, [&](World&) { a.process.deafen(); }, MarkSide::before);
    lab.on(a.process.node(), mark::zoo_get_children, [&](World& w) { w.pause_task(a.process.node(), "lock"); },
           MarkSide::before);
    a.acquire();
    lab.run_until(seconds(6) + ms(500));
    a.process.mend();
    lab.run_until(seconds(10));
    const std::vector<std::string> made = children_of(lab, "/door");
    ASSERT_EQ(made.size(), 1U);
    lab.execute(ZooKeeper::remove_part("/door/" + made[0]));
    lab.execute(ZooKeeper::create_part("/door/" + made[0]));
    lab.world.resume_task(a.process.node(), "lock");
    lab.run_until(seconds(15));
    EXPECT_EQ(a.holds(), search == GoZkGuidSearch::any_session) << "else it queues up behind that node";
    EXPECT_EQ(count_of(lab, "/door"), search == GoZkGuidSearch::any_session ? 1U : 2U);
  }
}

TEST(GoZookeeperLock, AWaiterOutlivesALostConnectionAndNotItsSession) {
  for (const bool in_time : {true, false}) {
    ZooLab lab;
    GoUser a(lab, "a"), b(lab, "b");
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(2));
    if (in_time) {
      lab.world.kill(lab.zk);
      lab.run_until(seconds(3));
      lab.world.restart(lab.zk);
    } else {
      b.process.cut();
      lab.run_until(seconds(30));
      b.process.mend();
    }
    lab.run_until(seconds(35));
    EXPECT_EQ(b.acquired.has_value(), !in_time) << "ErrSessionExpired comes by its watch";
    a.release();
    lab.run_until(seconds(36));
    EXPECT_EQ(b.holds(), in_time);
  }
}

TEST(GoZookeeperLock, AnUnlockThatFindsNoNodeLocksTheObjectForGood) {
  for (const GoZkUnlock unlock : {GoZkUnlock::keeps_path, GoZkUnlock::clears_path}) {
    ZooLab lab;
    GoUser a(lab, "a", with([&](GoZookeeperLockOptions& o) { o.unlock = unlock; }));
    a.acquire();
    lab.run_until(seconds(1));
    a.process.cut();
    lab.run_until(seconds(20));
    a.process.mend();
    lab.run_until(seconds(25));
    a.release();
    lab.run_until(seconds(26));
    ASSERT_TRUE(a.released && a.released->refused());
    a.acquire();
    lab.run_until(seconds(27));
    EXPECT_EQ(a.holds(), unlock == GoZkUnlock::clears_path);
  }
}

TEST(GoZookeeperLock, WhoGivesUpLeavesAGoroutineThatTakesTheLock) {
  ZooLab lab;
  GoUser a(lab, "a"), b(lab, "b");
  a.acquire();
  lab.run_until(seconds(1));
  b.acquire(seconds(1));
  lab.run_until(seconds(3));
  EXPECT_TRUE(b.acquired && b.acquired->unknown());
  a.release();
  lab.run_until(seconds(60));
  EXPECT_EQ(count_of(lab, "/door"), 1U) << "nobody's";
  b.acquire();
  lab.run_until(seconds(61));
  EXPECT_TRUE(b.acquired->refused());
}

TEST(GoZookeeperLock, TheApplicationMayListenToTheSession) {
  for (const ZkReaction reaction : {ZkReaction::stops_at_disconnected, ZkReaction::stops_at_expired}) {
    ZooLab lab;
    GoUser a(lab, "a", with([&](GoZookeeperLockOptions& o) { o.reaction = reaction; }));
    a.acquire();
    lab.run_until(seconds(10));
    a.process.cut();
    lab.run_until(seconds(16));
    EXPECT_EQ(a.lost(), reaction == ZkReaction::stops_at_disconnected);
    lab.run_until(seconds(30));
    a.process.mend();
    lab.run_until(seconds(35));
    EXPECT_TRUE(a.lost());
  }
}

// With a library whose handles die with their session, as the real Conn's do not.
TEST(GoZookeeperLock, AConnNeedsNoHelpToGoOnAfterItsSession) {
  ZooLab lab;
  const auto set = with([](GoZookeeperLockOptions& o) { o.unlock = GoZkUnlock::clears_path; });
  ZooLockClient a(lab, "a", "go-zookeeper-lock", set);
  a.acquire();
  lab.run_until(seconds(1));
  a.process.cut();
  lab.run_until(seconds(20));
  a.process.mend();
  lab.run_until(seconds(25));
  a.release();
  lab.run_until(seconds(27));
  a.acquire();
  lab.run_until(seconds(30));
  EXPECT_TRUE(a.holds());
}

// --- the article's version -------------------------------------------------------------------------

TEST(GoZookeeperChannelLock, RepairedItGrantsInTheOrderOfTheCreates) {
  ZooLab lab;
  ChannelUser a(lab, "a"), b(lab, "b");
  grants_in_order(lab, a, b);
}

TEST(GoZookeeperChannelLock, TheLibrarysLockBehindItIsNeverUnlocked) {
  for (const bool library : {true, false}) {
    ZooLab lab;
    const auto set = channel_with([&](GoZookeeperChannelLockOptions& o) { o.library_lock = library; });
    ChannelUser a(lab, "a", set), b(lab, "b", set);
    a.acquire();
    lab.run_until(seconds(1));
    EXPECT_TRUE(a.holds());
    a.release();
    lab.run_until(seconds(2));
    EXPECT_EQ(count_of(lab, "/door"), 0U) << "free";
    b.acquire(seconds(5));
    lab.run_until(seconds(100));
    EXPECT_EQ(b.holds(), !library);
    EXPECT_EQ(b.acquired.has_value(), !library) << "its patience counts only once Lock() has returned";
  }
}

TEST(GoZookeeperChannelLock, NobodyReadsTheStopOfAHolder) {
  for (const GoZkStop stop : {GoZkStop::sent_always, GoZkStop::while_waiting}) {
    ZooLab lab;
    ChannelUser a(lab, "a", channel_with([&](GoZookeeperChannelLockOptions& o) { o.stop = stop; }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(100));
    EXPECT_EQ(a.released.has_value(), stop == GoZkStop::while_waiting);
    EXPECT_EQ(count_of(lab, "/door"), stop == GoZkStop::sent_always ? 1U : 0U);
  }
}

TEST(GoZookeeperChannelLock, AnUnlockThatComesBeforeThePathDeletesNothing) {
  for (const GoZkPath path : {GoZkPath::after_grant, GoZkPath::before_grant}) {
    ZooLab lab;
    ChannelUser a(lab, "a", channel_with([&](GoZookeeperChannelLockOptions& o) { o.path = path; }));
    lab.on(a.process.node(), mark::yields, [&](World& w) { w.pause_task(a.process.node(), "watch"); });
    a.acquire();
    lab.run_until(seconds(1));
    ASSERT_TRUE(a.holds());
    a.release();
    lab.run_until(seconds(60));
    ASSERT_TRUE(a.released);
    EXPECT_EQ(a.released->yes(), path == GoZkPath::before_grant);
    EXPECT_EQ(count_of(lab, "/door"), path == GoZkPath::after_grant ? 1U : 0U);
  }
}

TEST(GoZookeeperChannelLock, OnAnUnbufferedChannelAnErrorIsToldToNobody) {
  for (const GoGet get : {GoGet::unbuffered, GoGet::per_call}) {
    ZooLab lab;
    ChannelUser a(lab, "a", channel_with([&](GoZookeeperChannelLockOptions& o) { o.get = get; }));
    a.acquire();
    lab.run_until(seconds(1));
    a.acquire();  // lockpath is set
    lab.run_until(seconds(60));
    EXPECT_EQ(a.acquired.has_value(), get == GoGet::per_call);
  }
}

TEST(GoZookeeperChannelLock, OnABufferedChannelTheNextLockHearsOfTheGrantOfTheOneGivenUp) {
  for (const GoGet get : {GoGet::buffered, GoGet::per_call}) {
    ZooLab lab;
    ChannelUser a(lab, "a"), b(lab, "b", channel_with([&](GoZookeeperChannelLockOptions& o) { o.get = get; }));
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire(seconds(1));
    lab.run_until(seconds(3));
    ASSERT_TRUE(b.acquired && b.acquired->unknown());
    b.acquire();
    lab.run_until(seconds(4));
    a.release();
    lab.run_until(seconds(5));
    EXPECT_EQ(b.holds(), get == GoGet::buffered) << "else it waits behind its own first node";
    EXPECT_EQ(count_of(lab, "/door"), 2U);
    if (!b.holds()) continue;
    b.release();
    lab.run_until(seconds(60));
    EXPECT_EQ(count_of(lab, "/door"), 0U) << "UnLock() has stopped its second goroutine, which cleaned up";
  }
}

TEST(GoZookeeperChannelLock, AStrangeChildIsTakenForNumberZero) {
  for (const GoZkParseError parse : {GoZkParseError::goes_on, GoZkParseError::ends}) {
    ZooLab lab;
    ChannelUser a(lab, "a", channel_with([&](GoZookeeperChannelLockOptions& o) { o.parse_error = parse; }));
    lab.run_until(ms(100));
    lab.execute(ZooKeeper::create_part("/door"));
    lab.execute(ZooKeeper::create_part("/door/stranger"));
    a.acquire();
    lab.run_until(seconds(20));
    ASSERT_TRUE(a.acquired);
    EXPECT_FALSE(a.holds());
    EXPECT_EQ(count_of(lab, "/door"), parse == GoZkParseError::goes_on ? 2U : 1U) << "false was told, and it waits on";
  }
}

TEST(GoZookeeperChannelLock, AWaiterThatIsStoppedLeavesItsNode) {
  for (const GoZkOrphan orphan : {GoZkOrphan::left, GoZkOrphan::deleted}) {
    ZooLab lab;
    ChannelUser a(lab, "a"), b(lab, "b", channel_with([&](GoZookeeperChannelLockOptions& o) { o.orphan = orphan; }));
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire(seconds(1));
    lab.run_until(seconds(3));
    ASSERT_TRUE(b.acquired && b.acquired->unknown());
    b.release();
    lab.run_until(seconds(4));
    EXPECT_TRUE(b.released);
    EXPECT_EQ(count_of(lab, "/door"), orphan == GoZkOrphan::left ? 2U : 1U);
  }
}

TEST(GoZookeeperChannelLock, AsWrittenAnObjectLocksOnce) {
  for (const GoZkUnlock unlock : {GoZkUnlock::keeps_path, GoZkUnlock::clears_path}) {
    ZooLab lab;
    ChannelUser a(lab, "a", channel_with([&](GoZookeeperChannelLockOptions& o) { o.unlock = unlock; }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.acquire();
    lab.run_until(seconds(3));
    EXPECT_EQ(a.holds(), unlock == GoZkUnlock::clears_path);
  }
}

TEST(GoZookeeperChannelLock, AsWrittenItNeverComesFreeAgain) {
  ZooLab lab;
  const auto set =
      channel_with([](GoZookeeperChannelLockOptions& o) { o = GoZookeeperChannelLockOptions::as_written(); });
  ChannelUser a(lab, "a", set), b(lab, "b", set);
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  a.release();
  b.acquire();
  lab.run_until(seconds(200));
  EXPECT_FALSE(a.released);
  EXPECT_FALSE(b.acquired);
}

}  // namespace
}  // namespace picklock
