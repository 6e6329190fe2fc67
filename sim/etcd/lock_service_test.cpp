// The lock service of real members; tests of its callers stand beside algorithms/etcd_lock_rpc.
#include "sim/etcd/lock_service.hpp"

#include <gtest/gtest.h>

#include "sim/etcd/cluster_lab.hpp"

namespace picklock {
namespace lock_service_test {

using testing::EtcdCluster;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

struct Caller {
  EtcdLeaseId lease = 0;
  std::shared_ptr<EtcdKeepAlive> renewals;
  std::optional<Outcome<EtcdLockReply>> locked;
  std::optional<Duration> at;
  std::uint32_t errors = 0;
};

// Acts like jetcd's users: its own lease, kept alive, and Lock with it until Lock succeeds.
Task<void> lock(Host host, EtcdCluster* lab, std::size_t client, Caller* caller, Duration start) {
  co_await host.sleep(start);
  Etcd& etcd = *lab->clients[client];
  for (;;) {
    if (caller->lease == 0) {
      const auto granted = co_await etcd.grant(seconds(5));
      if (!granted.yes()) continue;
      caller->lease = granted.value().id;
      caller->renewals = etcd.keep_alive(caller->lease);
    }
    auto answer = co_await etcd.lock("door", caller->lease);
    const bool yes = answer.yes();
    caller->locked = std::move(answer);
    caller->at = lab->world.now() - TrueTime{};
    if (yes) co_return;
    ++caller->errors;
    co_await host.sleep(ms(100));
  }
}

void start(EtcdCluster& lab, std::size_t client, Caller& caller, Duration when) {
  const NodeId node = lab.client_node[client];
  lab.world.tasks.start(node, "main", lock(lab.world.host(node), &lab, client, &caller, when));
}

TEST(EtcdLockService, AQueueOutlivesTheLeader) {
  EtcdCluster lab({.members = 3, .clients = 2}, 3);
  Caller a, b;
  start(lab, 0, a, seconds(3)), start(lab, 1, b, seconds(4));
  lab.run_until(seconds(6));
  ASSERT_TRUE(a.locked && a.locked->yes());
  EXPECT_FALSE(b.locked.has_value());
  const NodeId leader = lab.member_node[lab.leader()];
  lab.at(seconds(6) + ms(1), [=](World& w) { w.faults.kill(leader); });
  lab.at(seconds(9), [=](World& w) { w.faults.restart(leader); });
  lab.at(seconds(12), [&](World& w) { w.faults.kill(lab.client_node[0]); });
  lab.run_until(seconds(30));
  ASSERT_TRUE(b.locked && b.locked->yes()) << b.errors << " errors";
  EXPECT_GE(b.at, seconds(12) + ms(3000)) << "a renewed through the election, until it died";
  EXPECT_LE(b.at, seconds(19));
}

TEST(EtcdLockService, TheOldOneAnswersThoseWhoseKeyIsGone) {
  for (const bool rechecks : {false, true}) {
    EtcdOptions options;
    options.rechecks_locks = rechecks;
    EtcdCluster lab({.members = 3, .clients = 3, .etcd = options}, 3);
    Caller a, b;
    start(lab, 0, a, seconds(3)), start(lab, 1, b, seconds(4));
    lab.run_until(seconds(5));
    ASSERT_TRUE(a.locked && a.locked->yes());
    // b's lease goes while b waits, then a's.
    struct Revoke {
      static Task<void> run(Host host, EtcdCluster* cluster, EtcdLeaseId first, EtcdLeaseId second) {
        const auto one = co_await cluster->clients[2]->revoke(first);
        EXPECT_TRUE(one.yes());
        co_await host.sleep(ms(200));
        const auto two = co_await cluster->clients[2]->revoke(second);
        EXPECT_TRUE(two.yes());
      }
    };
    const NodeId third = lab.client_node[2];
    lab.world.tasks.start(third, "main", Revoke::run(lab.world.host(third), &lab, b.lease, a.lease));
    lab.run_until(ms(5500));
    ASSERT_TRUE(b.locked.has_value());
    EXPECT_EQ(b.locked->yes(), !rechecks);
    if (rechecks) {
      EXPECT_EQ(b.locked->error(), to_string(EtcdError::lease_not_found)) << "of its next call";
    }
  }
}

}  // namespace lock_service_test
}  // namespace picklock
