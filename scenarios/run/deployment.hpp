// The machines of a run's services: which there are, what they are called, and what runs on them.
//
// One place decides it, from the lock (how many independent servers it wants) and the scenario's
// topology.  Whoever needs to know asks here: the runner, the judge of grants, the reports.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/scenario.hpp"
#include "scenarios/grants/redis_grants.hpp"
#include "sim/etcd/member.hpp"
#include "sim/redis/cluster/cluster_bus.hpp"
#include "sim/redis/sentinel/server.hpp"
#include "sim/redis/server.hpp"
#include "sim/zookeeper/server.hpp"

namespace picklock {

class Deployment {
 public:
  // Of a scenario whose lock is known and has options: only what its service needs.
  Deployment(const Scenario& scenario, const LockKind& lock);

  // Names of the machines; the first has NodeId 1.
  const std::vector<std::string>& names() const { return names_; }
  // Of etcd or ZooKeeper; of Redis servers there are groups.
  const std::vector<NodeId>& members() const { return members_; }
  const std::vector<RedisPlace>& redis() const { return places_; }
  std::uint32_t groups() const { return groups_; }
  NodeId redis_node(std::size_t i) const { return static_cast<NodeId>(1 + i); }
  std::size_t sentinels() const { return sentinels_.size(); }
  NodeId sentinel_node(std::size_t i) const { return static_cast<NodeId>(1 + places_.size() + i); }
  // Whom a client asks that knows one address for each group, and nobody to tell it another.
  // Of a cluster: the owner of the lock's slot, at the start.
  NodeId first_master(std::uint32_t group) const { return redis_node(group + home_); }
  bool is_cluster() const { return !buses_.empty(); }
  std::uint32_t shard_of(std::string_view key) const;  // of a cluster

  // By hold, where the servers say so themselves.
  void first_heard(std::vector<std::int64_t>& by_hold) const;

  // What consensus promises and a run has broken, unless its servers were to have a defect; empty: nothing.
  std::string broken_invariant() const;
  // With a defect: what it broke, in words.
  std::string shown_defect() const;
  // Within this after the last fault the service answers again, as it does after the loss of its leader.
  Duration failover_bound(const Scenario& scenario) const;

  // Boots all of it in a world whose machines have been added, for locks of these names.
  void install(World& world, const Scenario& scenario, std::span<const std::string> locks);

 private:
  void add_redis(const Scenario& scenario, const LockKind& lock);
  std::string broken_by_zookeeper() const;
  void install_redis(World& world, const Scenario& scenario);
  void add_members(std::string_view name, std::int64_t count);

  std::string_view service_;
  std::vector<std::string> names_;
  std::vector<NodeId> members_;
  std::vector<std::unique_ptr<EtcdMember>> etcd_;
  EtcdInvariants etcd_invariants_;
  std::vector<std::unique_ptr<ZooServer>> zookeeper_;
  ZooJudge zookeeper_judge_;
  bool zookeeper_defect_ = false;
  std::vector<RedisPlace> places_;
  std::vector<std::unique_ptr<RedisServer>> servers_;  // by place: the masters, then the replicas
  std::vector<std::unique_ptr<SentinelServer>> sentinels_;
  std::vector<std::unique_ptr<ClusterBus>> buses_;  // by place
  std::uint32_t groups_ = 0, masters_ = 0, home_ = 0;
};

}  // namespace picklock
