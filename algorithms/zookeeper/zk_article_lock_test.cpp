#include "algorithms/zookeeper/zk_article_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock {
namespace {

using testing::ms;
using testing::ZooLabOf;

struct ArticleLab : ZooLabOf<ZkArticleOptions> {
  explicit ArticleLab(Edit usual = {}) : ZooLabOf("zk-lock", std::move(usual)) {}
};
void repair(ZkArticleOptions& o) { o = ZkArticleOptions::repaired(); }
constexpr const char* kFirst = "/door/lock_0000000000";

// Z7: a holds, b waits for it, c for b.  b dies.
TEST(ZkArticleLock, WhoeverIsWokenBelievesThatItHolds) {
  for (const bool repaired : {false, true}) {
    ArticleLab lab([=](auto& o) { o.on_wake = repaired ? ZkOnWake::lists_again : ZkOnWake::returns_true; });
    auto &a = lab.client("a"), &b = lab.client("b"), &c = lab.client("c");
    lab.acquire(a, b, c);
    EXPECT_FALSE(b.acquired || c.acquired);
    lab.kill(b);
    lab.pass(seconds(17));
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(c.holds(), !repaired) << "beside a";
    lab.release(a);
    EXPECT_TRUE(c.holds());
  }
}

TEST(ZkArticleLock, APredecessorThatIsGoneLeavesALockWithoutOwner) {
  for (const bool repaired : {false, true}) {
    ArticleLab lab(
        [=](auto& o) { o.predecessor_gone = repaired ? ZkArticleGone::lists_again : ZkArticleGone::returns_false; });
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a);
    lab.before(b, *find_mark("exists"), [&] { lab.remove(kFirst); });
    lab.acquire(b);
    ASSERT_TRUE(b.acquired.has_value());
    EXPECT_EQ(b.holds(), repaired);
    EXPECT_EQ(lab.nodes(), 1U) << "b's node, whatever it was told";
  }
}

TEST(ZkArticleLock, AnEventBeforeTheLatchIsLost) {
  for (const bool repaired : {false, true}) {
    ArticleLab lab([=](auto& o) { o.latch = repaired ? ZkLatch::before_watch : ZkLatch::after_watch; });
    auto &a = lab.client("a"), &b = lab.client("b");
    lab.acquire(a);
    // The calling thread stops between the answer to exists and the latch; the event thread does not.
    lab.on(b.node(), mark::yields, [&](World& w) {
      lab.stop(b, b.task);
      lab.remove(kFirst);
      w.actions.at(w.now() + ms(10), lab.action([&](World&) { lab.go_on(b, b.task); }));
    });
    lab.acquire(b);
    lab.remove(kFirst);  // no effect if the node is already gone
    lab.pass(seconds(58));
    EXPECT_EQ(b.holds(), repaired) << "else it waits for ever, first in the queue";
  }
}

TEST(ZkArticleLock, AFailedCreateGoesOnToWaitForNobody) {
  for (const bool repaired : {false, true}) {
    ArticleLab lab([=](auto& o) { o.errors = repaired ? ZkErrors::reported : ZkErrors::swallowed; });
    auto& a = lab.client("a");
    // Its first create made it make the directory, which goes again: NoNode once more.
    lab.before(
        a, mark::zoo_create, [&] { lab.remove("/door"); }, 3);
    lab.acquire(a);
    ASSERT_TRUE(a.refused());
    EXPECT_EQ(a.acquired->why() == Why::error, repaired);
    EXPECT_EQ(lab.server.requests["exists"], repaired ? 0 : 1) << "exists(/doornull): not there, so false";
  }
}

TEST(ZkArticleLock, WithoutAServerItGivesUpUnlessItReportsErrors) {
  for (const bool repaired : {false, true}) {
    ArticleLab lab([=](auto& o) { o.errors = repaired ? ZkErrors::reported : ZkErrors::swallowed; });
    auto& a = lab.client("a");
    a.acquire();
    lab.restart_server(seconds(5));
    lab.pass(seconds(15));
    ASSERT_TRUE(a.acquired.has_value());
    EXPECT_EQ(a.holds(), repaired);
  }
}

TEST(ZkArticleLock, OneObjectForAllThreadsIsNobodysLock) {
  for (const bool shared : {true, false}) {
    ArticleLab lab([=](auto& o) { o.object = shared ? ZkObject::shared : ZkObject::per_client; });
    auto& p = lab.process("p");
    auto &a = lab.thread(p, 1), &b = lab.thread(p, 2);
    lab.acquire(a, b);
    EXPECT_TRUE(a.holds());
    lab.release(a);  // deletes what the field names by now
    EXPECT_EQ(lab.names(), (std::vector<std::string>{shared ? "lock_0000000000" : "lock_0000000001"}));
    EXPECT_NE(b.holds(), shared) << "a's node is still there, and nobody will delete it";
  }
}

TEST(ZkArticleLock, AnUnlockThatFailsIsForgotten) {
  for (const bool repaired : {false, true}) {
    ArticleLab lab([=](auto& o) { o.unlock_errors = repaired ? ZkUnlockErrors::retried : ZkUnlockErrors::swallowed; });
    auto& a = lab.client("a");
    lab.acquire(a);
    lab.at(seconds(3), [&](World&) { a.release(); });
    lab.pass(seconds(1));
    lab.restart_server(seconds(4));
    lab.pass(seconds(24));
    ASSERT_TRUE(a.released.has_value());
    EXPECT_TRUE(a.gave_back());
    EXPECT_EQ(lab.nodes(), repaired ? 0U : 1U) << "held by nobody, for as long as the session lives";
  }
}

TEST(ZkArticleLock, AListingWithoutItsOwnNodeThrows) {
  ArticleLab lab;
  auto &a = lab.client("a"), &b = lab.client("b");
  lab.acquire(a);
  lab.before(b, mark::zoo_get_children, [&] { lab.remove("/door/lock_0000000001"); });
  lab.acquire(b);
  ASSERT_TRUE(b.acquired.has_value());
  EXPECT_EQ(b.acquired->why(), Why::error);
}

TEST(ZkArticleLock, AWaiterWhoseSessionExpiresHangsIfItIgnoresThat) {
  ArticleLab lab(repair);
  auto &a = lab.client("a"), &b = lab.client("b", [](auto&o) { o.events = ZkEvents::node_deleted; });
  lab.acquire(a, b);
  lab.pause(b, seconds(20));
  lab.pass(seconds(28));
  EXPECT_EQ(lab.nodes(), 1U) << "a's";
  lab.release(a);
  lab.pass(seconds(69));
  EXPECT_FALSE(b.acquired);
  EXPECT_EQ(lab.nodes(), 0U);
}

TEST(ZkArticleLock, AllNamesHaveOneDirectoryAsPublished) {
  for (const bool mended : {false, true}) {
    ArticleLab lab([=](auto& o) {
      repair(o);
      o.root = mended ? ZkRoot::of_the_name : ZkRoot::one;
    });
    auto& a = lab.client("a");
    lab.acquire(a);
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(lab.nodes(), mended ? 1U : 0U) << "below /door";
  }
}

}  // namespace
}  // namespace picklock
