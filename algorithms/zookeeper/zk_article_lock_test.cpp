#include "algorithms/zookeeper/zk_article_lock.hpp"

#include <gtest/gtest.h>

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
  return zoo_options<ZkArticleOptions>(edit);
}
void repair(ZkArticleOptions& o) { o = ZkArticleOptions::repaired(); }

// Z7: a holds, b waits for it, c for b.  b dies.
TEST(ZkArticleLock, WhoeverIsWokenBelievesThatItHolds) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    const auto set = with([=](auto& o) {
      if (mended) o.on_wake = ZkOnWake::lists_again;
    });
    ZooLockClient a(lab, "a", "zk-lock", set), b(lab, "b", "zk-lock", set), c(lab, "c", "zk-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(2));
    c.acquire();
    lab.at(seconds(3), [&](World& w) { w.kill(b.process.node()); });
    lab.run_until(seconds(20));
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(c.holds(), !mended) << "beside a";
    a.release();
    lab.run_until(seconds(21));
    EXPECT_TRUE(c.holds());
  }
}

TEST(ZkArticleLock, APredecessorThatIsGoneLeavesALockWithoutOwner) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    const auto set = with([=](auto& o) {
      if (mended) o.predecessor_gone = ZkArticleGone::lists_again;
    });
    ZooLockClient a(lab, "a", "zk-lock", set), b(lab, "b", "zk-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    lab.on(b.process.node(), *find_mark("exists"),
           [&](World&) { lab.execute(ZooKeeper::remove_part("/door/lock_0000000000")); }, MarkSide::before);
    b.acquire();
    lab.run_until(seconds(2));
    ASSERT_TRUE(b.acquired.has_value());
    EXPECT_EQ(b.holds(), mended);
    EXPECT_EQ(count_of(lab, "/door"), 1U) << "b's node, whatever it was told";
  }
}

TEST(ZkArticleLock, AnEventBeforeTheLatchIsLost) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    const auto set = with([=](auto& o) {
      if (mended) o.latch = ZkLatch::before_watch;
    });
    ZooLockClient a(lab, "a", "zk-lock", set), b(lab, "b", "zk-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    // The calling thread stops between the answer to exists and the latch; the event thread does not.
    lab.on(b.process.node(), mark::yields, [&](World& w) {
      w.pause_task(b.process.node(), "client");
      lab.execute(ZooKeeper::remove_part("/door/lock_0000000000"));
      w.at(w.now() + ms(10), lab.action([&](World& x) { x.resume_task(b.process.node(), "client"); }));
    });
    b.acquire();
    lab.run_until(seconds(2));
    lab.execute(ZooKeeper::remove_part("/door/lock_0000000000"));
    lab.run_until(seconds(60));
    EXPECT_EQ(b.holds(), mended) << "else it waits for ever, first in the queue";
  }
}

TEST(ZkArticleLock, AWaiterWhoseSessionExpiresHangs) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zk-lock", with(repair)), b(lab, "b", "zk-lock", with([=](auto& o) {
                                                            repair(o);
                                                            if (!mended) o.events = ZkEvents::node_deleted;
                                                          }));
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.pause(b.process.node(), seconds(2), seconds(20));
    lab.run_until(seconds(30));
    a.release();
    lab.run_until(seconds(100));
    EXPECT_EQ(b.holds(), mended);
    EXPECT_EQ(count_of(lab, "/door"), mended ? 1U : 0U);
  }
}

TEST(ZkArticleLock, AFailedCreateGoesOnToWaitForNobody) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zk-lock", with([=](auto& o) {
                      if (mended) o.errors = ZkErrors::reported;
                    }));
    lab.world.kill(lab.zk);
    a.acquire();
    lab.at(seconds(5), [&](World& w) { w.restart(lab.zk); });
    lab.run_until(seconds(20));
    ASSERT_TRUE(a.acquired.has_value());
    EXPECT_EQ(a.holds(), mended) << "exists(/doornull): not there, so false";
    EXPECT_FALSE(lab.server.requests["exists"] > 0 && mended);
  }
}

TEST(ZkArticleLock, AnAnswerThatIsLostLeavesANodeThatNobodyKnows) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zk-lock", with([=](auto& o) {
                      repair(o);
                      o.guid = mended;
                    }));
    a.acquire();
    lab.run_until(seconds(1));
    a.release();
    lab.run_until(seconds(2));
    a.process.deafen();
    a.acquire();
    lab.run_until(seconds(10));
    a.process.mend();
    lab.run_until(seconds(60));
    EXPECT_EQ(a.holds() && a.acquired_at > seconds(2), mended);
  }
}

TEST(ZkArticleLock, AfterTheLastNumberTextSortsTheNewestFirst) {
  for (const ZkNameOrder order : {ZkNameOrder::text, ZkNameOrder::number, ZkNameOrder::wrapped_number}) {
    ZooLab lab;
    const auto set = with([=](auto& o) { o.order = order; });
    lab.execute(ZooKeeper::create_part("/door"));
    lab.execute(ZooKeeper::create_part("/door/lock_0000000007"));  // somebody holds
    ZooTxn last;
    last.kind = ZooTxn::Kind::create;
    last.path = "/door/x";
    last.version = -2147483647 - 1;
    std::vector<ZooEffect> effects;
    lab.server.tree.apply(last, lab.server.tree.last_zxid() + 1, effects);
    last.kind = ZooTxn::Kind::remove;
    lab.server.tree.apply(last, lab.server.tree.last_zxid() + 1, effects);
    ZooLockClient a(lab, "a", "zk-lock", set);
    a.acquire();
    lab.run_until(seconds(1));
    EXPECT_EQ(children_of(lab, "/door"), (std::vector<std::string>{"lock_-2147483648", "lock_0000000007"}));
    EXPECT_EQ(a.holds(), order != ZkNameOrder::wrapped_number) << "as signed numbers it is no better";
  }
}

TEST(ZkArticleLock, OneObjectForAllThreadsIsNobodysLock) {
  for (const bool shared : {true, false}) {
    ZooLab lab;
    ZooLockProcess p(lab, "p");
    const auto set = with([=](auto& o) { o.object = shared ? ZkObject::shared : ZkObject::per_client; });
    ZooLockClient a(p, "zk-lock", set, 1), b(p, "zk-lock", set, 2);
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire();
    lab.run_until(seconds(2));
    a.release();  // deletes what the field names by now
    lab.run_until(seconds(3));
    EXPECT_EQ(children_of(lab, "/door"), (std::vector<std::string>{shared ? "lock_0000000000" : "lock_0000000001"}));
    EXPECT_NE(b.holds(), shared) << "a's node is still there, and nobody will delete it";
  }
}

TEST(ZkArticleLock, AnUnlockThatFailsIsForgotten) {
  for (const bool mended : {false, true}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", "zk-lock", with([=](auto& o) {
                      if (mended) o.unlock_errors = ZkUnlockErrors::retried;
                    }));
    a.acquire();
    lab.run_until(seconds(1));
    lab.at(seconds(2), [&](World& w) { w.kill(lab.zk); });
    lab.at(seconds(3), [&](World&) { a.release(); });
    lab.at(seconds(6), [&](World& w) { w.restart(lab.zk); });
    lab.run_until(seconds(30));
    ASSERT_TRUE(a.released.has_value());
    EXPECT_TRUE(a.released->yes());
    EXPECT_EQ(count_of(lab, "/door"), mended ? 0U : 1U) << "held by nobody, for as long as the session lives";
  }
}

TEST(ZkArticleLock, AListingWithoutItsOwnNodeThrows) {
  ZooLab lab;
  ZooLockClient a(lab, "a", "zk-lock"), b(lab, "b", "zk-lock");
  a.acquire();
  lab.run_until(seconds(1));
  lab.on(b.process.node(), *find_mark("get-children"),
         [&](World&) { lab.execute(ZooKeeper::remove_part("/door/lock_0000000001")); }, MarkSide::before);
  b.acquire();
  lab.run_until(seconds(2));
  ASSERT_TRUE(b.acquired.has_value());
  EXPECT_EQ(b.acquired->why(), Why::error);
}

TEST(ZkArticleLock, AnInterruptLeavesItsNodeUnlessRepaired) {
  for (const char* kind : {"zk-lock", "zk-lock-repaired"}) {
    ZooLab lab;
    ZooLockClient a(lab, "a", kind), b(lab, "b", kind);
    a.acquire();
    lab.run_until(seconds(1));
    b.acquire(seconds(1));
    lab.run_until(seconds(4));
    ASSERT_TRUE(b.acquired.has_value());
    EXPECT_FALSE(b.holds());
    EXPECT_EQ(count_of(lab, "/door"), kind == std::string("zk-lock") ? 2U : 1U);
  }
}

}  // namespace
}  // namespace picklock
