#include "algorithms/etcd/etcd_lock_rpc.hpp"

#include <gtest/gtest.h>

#include "algorithms/etcd/etcd_lock_lab.hpp"

namespace picklock {
namespace etcd_lock_rpc_test {

using testing::EtcdLockLab;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

using Edit = std::function<void(EtcdLockRpcOptions&)>;
struct Rpcs : EtcdLockLab {
  Client& lock(const std::string& name, const Edit& edit = {}) {
    return client<EtcdLockRpcOptions>(process(name), "etcd-lock-rpc", [&](EtcdLockRpcOptions& o) {
      o.ttl = seconds(5);
      if (edit) edit(o);
    });
  }
};

TEST(EtcdLockRpc, TheServerQueuesUpForItsCallers) {
  Rpcs lab;
  auto &a = lab.lock("a"), &b = lab.lock("b"), &c = lab.lock("c");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(20)), lab.acquire(c, ms(40));
  lab.run_until(ms(200));
  ASSERT_TRUE(a.holds());
  EXPECT_EQ(a.acquired->value().token, 2);
  EXPECT_EQ(lab.store().keys(), 3U);
  lab.release(a, ms(200));
  lab.run_until(seconds(20));
  ASSERT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_EQ(b.acquired->value().token, 3);
  EXPECT_FALSE(c.holds());
  EXPECT_FALSE(b.lost_at.has_value()) << "its client keeps its lease alive";
}

// etcd#11456 as Jepsen met it: the server does not look again after the wait.
TEST(EtcdLockRpc, ACallerWhoseLeaseHasDiedWasAnsweredThatItHolds) {
  for (const bool rechecks : {false, true}) {
    Rpcs lab;
    lab.member.lock_options.rechecks = rechecks;
    lab.world.faults.kill(lab.server()), lab.world.faults.restart(lab.server());
    auto& a = lab.lock("a");
    auto& b = lab.lock("b", [](EtcdLockRpcOptions& o) { o.token = EtcdToken::header; });
    lab.acquire(a, ms(100)), lab.acquire(b, ms(200));
    lab.at(ms(1000), [&](World&) { EXPECT_EQ(lab.run(EtcdLeaseRevoke{1002}).error, EtcdError::none); });
    lab.release(a, ms(1200));
    lab.run_until(ms(1250));
    EXPECT_EQ(b.holds(), !rechecks);
    if (!rechecks) {
      EXPECT_EQ(lab.store().keys(), 0U) << "and has nothing to show for it";
    }
  }
}

TEST(EtcdLockRpc, ALeaseOfTheServersRunsWhileItsCallerWaits) {
  Rpcs lab;
  const Edit servers = [](EtcdLockRpcOptions& o) { o.lease_owner = EtcdRpcLease::server; };
  auto &a = lab.lock("a"), &b = lab.lock("b", servers), &c = lab.lock("c");
  lab.acquire(a, ms(0)), lab.acquire(b, ms(100)), lab.acquire(c, ms(200));
  lab.release(a, seconds(50));
  lab.run_until(seconds(51));
  ASSERT_TRUE(b.holds());
  EXPECT_EQ(b.acquired->value().deadline, MonoTime{ms(60'100).ns});
  EXPECT_EQ(b.lock->lost(), nullptr);
  lab.run_until(seconds(62));
  EXPECT_TRUE(c.holds()) << "ten seconds after b got it";
  EXPECT_TRUE(b.holds());
}

TEST(EtcdLockRpc, WhoLosesPatienceOrItsConnectionLeavesTheLine) {
  for (const bool dies : {false, true}) {
    Rpcs lab;
    auto &a = lab.lock("a"), &b = lab.lock("b");
    lab.acquire(a, ms(0));
    if (dies) {
      lab.acquire(b, ms(100));
      lab.at(ms(500), [&](World& w) { w.faults.kill(b.process->node); });
    } else {
      lab.acquire(b, ms(100), ms(400));
    }
    lab.run_until(ms(450));
    EXPECT_EQ(lab.store().keys(), 2U);
    lab.run_until(ms(650));
    EXPECT_EQ(lab.store().keys(), 1U);
    if (!dies) {
      EXPECT_FALSE(b.holds());
    }
  }
}

// A caller of jetcd gives up its future, and the request goes on.
TEST(EtcdLockRpc, WhoGivesUpTellsNobody) {
  for (const bool session_per_lock : {false, true}) {
    Rpcs lab;
    const Edit gives_up = [&](EtcdLockRpcOptions& o) {
      o.gives_up = ms(400);
      o.session_per_lock = session_per_lock;
    };
    auto &a = lab.lock("a"), &b = lab.lock("b", gives_up), &c = lab.lock("c");
    lab.acquire(a, ms(0)), lab.acquire(b, ms(100), ms(300)), lab.acquire(c, ms(200));
    lab.run_until(ms(490));
    EXPECT_FALSE(b.acquired.has_value());
    lab.run_until(ms(600));
    ASSERT_TRUE(b.acquired.has_value());
    EXPECT_TRUE(b.acquired->unknown());
    EXPECT_EQ(lab.store().keys(), session_per_lock ? 2U : 3U) << "its place goes with its lease, and not before";
    lab.release(a, ms(700));
    lab.run_until(ms(800));
    EXPECT_EQ(c.holds(), session_per_lock) << "else the lock is b's, who knows nothing of it";
    EXPECT_FALSE(b.holds());
  }
}

TEST(EtcdLockRpc, ASessionForEachLockEndsWithIt) {
  Rpcs lab;
  auto& a = lab.lock("a", [](EtcdLockRpcOptions& o) { o.session_per_lock = true; });
  lab.acquire(a, ms(0)), lab.release(a, ms(200));
  lab.run_until(ms(300));
  ASSERT_TRUE(a.released->yes());
  EXPECT_EQ(lab.member.state.lessor().size(), 0U);
  lab.acquire(a, ms(400));
  lab.run_until(ms(500));
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(lab.member.state.lessor().size(), 1U);
}

TEST(EtcdLockRpc, TheRevisionOfTheAnswerIsNotTheKeys) {
  for (const EtcdToken token : {EtcdToken::create_revision, EtcdToken::header}) {
    Rpcs lab;
    auto& a = lab.lock("a");
    auto& b = lab.lock("b", [&](EtcdLockRpcOptions& o) { o.token = token; });
    lab.acquire(a, ms(0)), lab.acquire(b, ms(20)), lab.release(a, ms(200));
    lab.run_until(ms(300));
    ASSERT_TRUE(b.holds());
    EXPECT_EQ(lab.store().holds(etcd_owner_guard(b.acquired->value())), token == EtcdToken::create_revision);
  }
}

}  // namespace etcd_lock_rpc_test
}  // namespace picklock
