#include "scenarios/run/deployment.hpp"

#include <fmt/format.h>

namespace picklock {

Deployment::Deployment(const Scenario& scenario, const LockKind& lock) {
  const Options& options = *scenario.lock.options;
  groups_ = lock.servers != nullptr ? lock.servers(options) : lock.redis_servers;
  const auto master = [&](std::uint32_t g) {
    return groups_ == 1 ? std::string("redis") : fmt::format("redis{}", g + 1);
  };
  const auto add = [&](std::string name, RedisPlace place) {
    names_.push_back(std::move(name));
    places_.push_back(place);
    servers_.push_back(std::make_unique<RedisServer>(redis_scripts()));
  };
  for (std::uint32_t g = 0; g < groups_; ++g) add(master(g), {g, false});
  for (std::uint32_t g = 0; g < groups_; ++g) {
    for (std::int64_t i = 1; i <= scenario.topology.replicas; ++i) {
      add(fmt::format("{}-replica{}", master(g), i), {g, true});
    }
  }
  for (std::int64_t i = 1; i <= scenario.topology.sentinels; ++i) {
    names_.push_back(fmt::format("sentinel{}", i));
    sentinels_.push_back(std::make_unique<SentinelServer>());
  }
}

void Deployment::install(World& world, const Scenario& scenario) {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->set_options(scenario.redis);
    servers_[i]->set_master(places_[i].replica ? first_master(places_[i].group) : NodeId{0});
    world.install(redis_node(i), *servers_[i]);
  }
  for (std::size_t i = 0; i < sentinels_.size(); ++i) {
    sentinels_[i]->set_up({.options = scenario.sentinel, .master = names_.front()});
    world.install(sentinel_node(i), *sentinels_[i]);
  }
}

}  // namespace picklock
