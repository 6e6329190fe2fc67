#include "scenarios/run/deployment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/history.hpp"

namespace picklock {

Deployment::Deployment(const Scenario& scenario, const LockKind& lock) {
  const Options& options = *scenario.lock.options;
  groups_ = lock.servers != nullptr ? lock.servers(options) : lock.redis_servers;
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
  if (cluster > 0) home_ = cluster_shard(scenario.lock.name, cluster);
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

void Deployment::first_requests(std::vector<std::int64_t>& times) const {
  std::fill(times.begin(), times.end(), kNoTime);
  for (const auto& server : servers_) {
    const std::span<const std::int64_t> heard = server->first_requests();
    for (std::size_t hold = 0; hold < std::min(heard.size(), times.size()); ++hold) {
      if (heard[hold] == kNoTime) continue;
      times[hold] = times[hold] == kNoTime ? heard[hold] : std::min(times[hold], heard[hold]);
    }
  }
}

void Deployment::install(World& world, const Scenario& scenario) {
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
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    sentinels_[i]->set_up({.options = scenario.sentinel, .master = names_.front()});
    world.install(sentinel_node(i), *sentinels_[i]);
  }
}

}  // namespace picklock
