#include "algorithms/etcd/etcd_article_lock.hpp"

#include <gtest/gtest.h>

#include "algorithms/etcd/etcd_lock_lab.hpp"

namespace picklock {
namespace {

using testing::EtcdLockLab;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }
const std::size_t kTxn = EtcdRequest(EtcdTxn()).index();

using Edit = std::function<void(EtcdArticleOptions&)>;
struct Articles : EtcdLockLab {
  Client& lock(const std::string& name, const Edit& edit = {}) { return lock_of(process(name), "door", edit); }
  Client& lock_of(Process& p, const std::string& key, const Edit& edit = {}) {
    const auto set = [&](EtcdArticleOptions& o) {
      o.ttl = seconds(5);
      if (edit) edit(o);
    };
    return client<EtcdArticleOptions>(p, "go-etcd-lock", set, Sharing::exclusive, key);
  }
  bool held(std::string_view key = "door") const { return store().find(key) != nullptr; }
  std::int64_t count(std::string_view what) const {
    return std::count_if(member.log.begin(), member.log.end(),
                         [&](const std::string& r) { return r.starts_with(what); });
  }
};

TEST(EtcdArticleLock, AllWaitersTryAtEachRelease) {
  Articles lab;
  auto &a = lab.lock("a"), &b = lab.lock("b"), &c = lab.lock("c"), &d = lab.lock("d");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10)), lab.acquire(c, ms(20)), lab.acquire(d, ms(30));
  lab.run_until(ms(100));
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(lab.count("txn"), 4);
  lab.release(a, ms(100));
  lab.run_until(ms(200));
  EXPECT_EQ(b.holds() + c.holds() + d.holds(), 1);
  EXPECT_EQ(lab.count("txn"), 7) << "three more for one grant";
  lab.run_until(seconds(30));
  EXPECT_EQ(b.holds() + c.holds() + d.holds(), 1) << "renewed";
}

TEST(EtcdArticleLock, LockOnAnUnbufferedChannelWaitsForItself) {
  Articles lab;
  auto& a = lab.lock("a", [](EtcdArticleOptions& o) { o.get = EtcdArticleGet::unbuffered; });
  lab.acquire(a, ms(0));
  lab.run_until(seconds(60));
  EXPECT_FALSE(a.acquired.has_value());
  EXPECT_TRUE(lab.held()) << "and renews what nobody holds";
}

TEST(EtcdArticleLock, AnUnansweredTransactionIsHeldForLifeUnlessItsLeaseIsCancelled) {
  for (const EtcdArticleError error : {EtcdArticleError::leaves, EtcdArticleError::cancels}) {
    Articles lab;
    auto& a = lab.lock("a", [&](EtcdArticleOptions& o) { o.txn_error = error; });
    lab.member.refusals = {{kTxn, EtcdError::timeout, true}};
    lab.acquire(a, ms(0));
    lab.run_until(seconds(60));
    EXPECT_EQ(a.holds(), error == EtcdArticleError::cancels) << "else it waits for its own first key";
    EXPECT_TRUE(lab.held());
  }
}

// Only the answers are lost: the lease lives at the server, until the client gives it up and revokes it.
TEST(EtcdArticleLock, AChannelThatClosesEndsALivingLeaseAndTellsNobody) {
  for (const bool tells : {false, true}) {
    Articles lab;
    auto& a = lab.lock("a", [&](EtcdArticleOptions& o) { o.tells_loss = tells; });
    auto& b = lab.lock("b");
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
    lab.cut(*a.process, false, true, ms(2100), ms(30'000));
    lab.run_until(seconds(10));
    ASSERT_TRUE(b.holds());
    EXPECT_GE(b.acquired_at, ms(8000)) << "a's last answer came at 2.0 s";
    EXPECT_LE(b.acquired_at, ms(8100));
    EXPECT_TRUE(a.holds());
    EXPECT_EQ(a.lost_at.has_value(), tells);
    const auto& log = lab.member.log;
    const auto revoked = std::find(log.begin(), log.end(), "revoke 1001");
    EXPECT_NE(revoked, log.end()) << "by the client, not by time";
  }
}

// Two goroutines of one process: one works under "till", the other waits for "door", and its transaction takes
// effect and is answered by an error.
TEST(EtcdArticleLock, AnErrorAfterTheWaitEndsTheProcessAndAllThatItHolds) {
  for (const EtcdArticleWatchError error : {EtcdArticleWatchError::panics, EtcdArticleWatchError::returns}) {
    Articles lab;
    const bool lives = error == EtcdArticleWatchError::returns;
    const Edit edit = [error, lives](EtcdArticleOptions& o) {
      o.watch_error = error;
      o.txn_error = lives ? EtcdArticleError::cancels : EtcdArticleError::leaves;
    };
    auto& app = lab.process("app");
    auto &works = lab.lock_of(app, "till", edit), &waits = lab.lock_of(app, "door", edit);
    auto &a = lab.lock("a"), &b = lab.lock("b"), &c = lab.lock_of(lab.process("c"), "till");
    lab.acquire(a, ms(0)), lab.acquire(works, ms(5)), lab.acquire(waits, ms(10)), lab.acquire(c, ms(20));
    lab.at(ms(900), [&](World&) { lab.member.refusals = {{kTxn, EtcdError::timeout, true}}; });
    lab.release(a, ms(1000));
    lab.run_until(ms(1200));
    EXPECT_EQ(lab.world.nodes.alive(app.node), lives);
    EXPECT_EQ(waits.holds(), lives) << "told false, it has revoked its lease and called again";
    EXPECT_TRUE(works.holds());
    EXPECT_TRUE(lab.held("till")) << "the lease is left behind";
    EXPECT_TRUE(lab.held()) << "and so is the key whose transaction was not answered";
    lab.acquire(b, ms(1200));
    lab.run_until(seconds(12));
    EXPECT_EQ(b.holds(), !lives);
    EXPECT_EQ(c.holds(), !lives) << "who works under it lives, and renews";
    if (b.holds() && c.holds()) {
      EXPECT_GE(*b.acquired_at, ms(5000)) << "the leases of the dead run out";
      EXPECT_GE(*c.acquired_at, ms(5000));
    }
    std::vector<std::string_view> why;
    for (const TraceRecord& r : lab.world.trace.journal()) {
      if (r.kind == trace::process_panicked) why.push_back(lab.world.faults.last_words(r.b));
    }
    EXPECT_EQ(why, lives ? std::vector<std::string_view>() : std::vector<std::string_view>{"txnResp is nil"});
  }
}

TEST(EtcdArticleLock, AWaiterWhoseWatchIsCompactedHangs) {
  for (const EtcdArticleWatchEnd end : {EtcdArticleWatchEnd::ignored, EtcdArticleWatchEnd::tries_again}) {
    Articles lab;
    auto& a = lab.lock("a");
    auto& b = lab.lock("b", [&](EtcdArticleOptions& o) { o.ttl = seconds(60), o.watch_end = end; });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(10));
    // While the server is away from b, the key goes and history is compacted.
    lab.at(ms(1000), [&](World& w) { w.faults.kill(lab.server()); });
    lab.at(ms(1010), [&](World&) {
      for (const EtcdRequest& r :
           std::vector<EtcdRequest>{EtcdLeaseRevoke{1001}, EtcdPut("x", "1"), EtcdCompaction{4}}) {
        (void)lab.member.state.apply(r, {});
      }
    });
    lab.at(ms(1100), [&](World& w) { w.faults.restart(lab.server()); });
    lab.run_until(seconds(30));
    EXPECT_EQ(b.holds(), end == EtcdArticleWatchEnd::tries_again);
  }
}

TEST(EtcdArticleLock, UnlockReturnsBeforeTheLeaseIsRevoked) {
  for (const bool waits : {false, true}) {
    Articles lab;
    auto& a = lab.lock("a", [&](EtcdArticleOptions& o) { o.unlock_waits = waits; });
    lab.acquire(a, ms(0));
    lab.release(a, ms(100));
    lab.run_until(ms(200));
    ASSERT_TRUE(a.released->yes());
    EXPECT_EQ(a.released_at, waits ? ms(102) : ms(100));
    EXPECT_FALSE(lab.held());
  }
}

TEST(EtcdArticleLock, WhoLosesPatienceIsGrantedItForNobody) {
  Articles lab;
  auto &a = lab.lock("a"), &b = lab.lock("b"), &c = lab.lock("c");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(10), ms(500)), lab.release(a, ms(1000));
  lab.acquire(c, ms(1500));
  lab.run_until(seconds(60));
  EXPECT_TRUE(b.acquired->unknown());
  EXPECT_TRUE(lab.held());
  EXPECT_FALSE(c.holds());
}

}  // namespace
}  // namespace picklock
