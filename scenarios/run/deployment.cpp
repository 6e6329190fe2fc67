#include "scenarios/run/deployment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/redis/redis_scripts.hpp"
#include "checker/history.hpp"

namespace picklock {

Deployment::Deployment(const Scenario& scenario, const LockKind& lock) : service_(lock.service) {
  if (service_ == "redis") {
    add_redis(scenario, lock);
  } else if (service_ == "etcd") {
    add_members("etcd", scenario.etcd.members);
    for (std::size_t i = 0; i < members_.size(); ++i) etcd_.push_back(std::make_unique<EtcdMember>());
  } else {
    add_members("zookeeper", scenario.zookeeper.servers + scenario.zookeeper.observers);
    for (std::size_t i = 0; i < members_.size(); ++i) zookeeper_.push_back(std::make_unique<ZooServer>());
  }
}

void Deployment::add_members(std::string_view name, std::int64_t count) {
  for (std::int64_t i = 1; i <= count; ++i) {
    names_.push_back(fmt::format("{}{}", name, i));
    members_.push_back(static_cast<NodeId>(names_.size()));
  }
}

void Deployment::add_redis(const Scenario& scenario, const LockKind& lock) {
  const Options& options = *scenario.lock.options;
  groups_ = lock.servers != nullptr ? lock.servers(options) : lock.independent_servers;
  const auto cluster = static_cast<std::uint32_t>(scenario.topology.cluster);
  masters_ = cluster > 0 ? cluster : groups_;
  const auto master = [&](std::uint32_t g) {
    return masters_ == 1 && cluster == 0 ? std::string("redis") : fmt::format("redis{}", g + 1);
  };
  const auto add = [&](std::string name, RedisPlace place) {
    names_.push_back(std::move(name));
    places_.push_back(place);
    servers_.push_back(std::make_unique<RedisServer>(redis_scripts()));
  };
  if (cluster > 0) home_ = cluster_shard(scenario.lock.key, cluster);
  const auto place = [&](std::uint32_t m, bool replica) {
    return cluster > 0 ? RedisPlace{0, replica, m != home_} : RedisPlace{m, replica};
  };
  for (std::uint32_t m = 0; m < masters_; ++m) add(master(m), place(m, false));
  for (std::uint32_t m = 0; m < masters_; ++m) {
    for (std::int64_t i = 1; i <= scenario.topology.replicas; ++i) {
      add(fmt::format("{}-replica{}", master(m), i), place(m, true));
    }
  }
  for (std::size_t i = 0; cluster > 0 && i < servers_.size(); ++i) {
    buses_.push_back(std::make_unique<ClusterBus>());
    servers_[i]->set_bus(buses_.back().get());
  }
  for (std::int64_t i = 1; i <= scenario.topology.sentinels; ++i) {
    names_.push_back(fmt::format("sentinel{}", i));
    sentinels_.push_back(std::make_unique<SentinelServer>());
  }
}

std::uint32_t Deployment::shard_of(std::string_view key) const { return cluster_shard(key, masters_); }

void Deployment::first_heard(std::vector<std::int64_t>& by_hold) const {
  for (const auto& server : servers_) server->first_heard().merge_into(by_hold);
  zookeeper_judge_.first_heard().merge_into(by_hold);
}

std::string Deployment::broken_by_zookeeper() const {
  if (!zookeeper_judge_.content()) return zookeeper_judge_.complaints().front();
  for (std::size_t i = 0; i < zookeeper_.size(); ++i) {
    const std::string misplaced = zookeeper_[i]->serves() ? zookeeper_judge_.misplaced(zookeeper_[i]->tree()) : "";
    if (!misplaced.empty()) return names_[i] + ": " + misplaced;
  }
  return {};
}

std::string Deployment::broken_invariant() const {
  const std::string broken = zookeeper_defect_ ? std::string() : broken_by_zookeeper();
  return broken.empty() ? etcd_invariants_.broken() : broken;
}

std::string Deployment::shown_defect() const { return zookeeper_defect_ ? broken_by_zookeeper() : std::string(); }

Duration Deployment::failover_bound(const Scenario& scenario) const {
  // Silence, a campaign, another one after a split vote; then leases last an election longer.
  if (service_ == "etcd") return scenario.etcd.server.election * 6;
  // A learner notices a lost leader within sync-limit, a leader a lost quorum within the same; then a history is
  // taken over, which takes no more than the other but seldom as much; sessions begin anew.
  if (service_ == "zookeeper") return scenario.zookeeper.server.tick * (2 * scenario.zookeeper.server.sync_limit);
  return {};  // a sentinel's is the settling time's business
}

namespace {

// That have been used so often already that their next node gets the number that the scenario asks for.
std::vector<ZooDirectory> used_directories(std::int64_t creates, std::span<const std::string> locks) {
  std::vector<ZooDirectory> directories;
  for (const std::string& lock : locks) {
    if (creates == 0) break;
    const std::string path = lock.starts_with('/') ? lock : "/" + lock;
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      directories.push_back({path.substr(0, slash), 1, true});
    }
    directories.push_back({path, static_cast<std::int32_t>(creates), true});
  }
  return directories;
}

}  // namespace

void Deployment::install(World& world, const Scenario& scenario, std::span<const std::string> locks) {
  etcd_invariants_.reset();
  for (std::size_t i = 0; i < etcd_.size(); ++i) {
    etcd_[i]->set_up({.options = scenario.etcd.server, .members = members_, .invariants = &etcd_invariants_});
    world.install(members_[i], *etcd_[i]);
  }
  zookeeper_judge_.reset();
  zookeeper_defect_ = scenario.zookeeper.server.defect != ZooDefect::none;
  const auto voters = members_.begin() + (zookeeper_.empty() ? 0 : scenario.zookeeper.servers);
  for (std::size_t i = 0; i < zookeeper_.size(); ++i) {
    zookeeper_[i]->set_up({.options = scenario.zookeeper.server,
                           .servers = {members_.begin(), voters},
                           .observers = {voters, members_.end()},
                           .judge = &zookeeper_judge_,
                           .directories = used_directories(scenario.zookeeper.counter_starts_at, locks)});
    world.install(members_[i], *zookeeper_[i]);
  }
  if (service_ == "redis") install_redis(world, scenario);
}

void Deployment::install_redis(World& world, const Scenario& scenario) {
  const auto replicas = static_cast<std::uint32_t>(scenario.topology.replicas);
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < servers_.size(); ++i) nodes.push_back(redis_node(i));
  for (std::size_t i = 0; i < buses_.size(); ++i) {
    buses_[i]->set_up(even_cluster(masters_, replicas), nodes, static_cast<ClusterIndex>(i), scenario.cluster);
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->set_options(scenario.redis);
    const std::size_t of = i < masters_ ? i : (i - masters_) / replicas;  // its master's place
    servers_[i]->set_master(places_[i].replica ? redis_node(of) : NodeId{0});
    world.install(redis_node(i), *servers_[i]);
  }
  const auto after_masters = names_.begin() + masters_;
  const auto after_servers = names_.begin() + static_cast<std::ptrdiff_t>(servers_.size());
  const SentinelSetup setup{.options = scenario.sentinel,
                            .master = names_.front(),
                            .replicas = {after_masters, after_servers},
                            .sentinels = {after_servers, names_.end()}};
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    sentinels_[i]->set_up(setup);
    world.install(sentinel_node(i), *sentinels_[i]);
  }
}

}  // namespace picklock
