#include "scenarios/run/deployment.hpp"

#include <fmt/format.h>

#include "sim/task/check.hpp"

namespace picklock {

Deployment::Deployment(const Scenario& scenario, const LockKind& lock) {
  const Options& options = *scenario.lock.options;
  groups_ = lock.servers != nullptr ? lock.servers(options) : lock.redis_servers;
  for (std::uint32_t g = 0; g < groups_; ++g) {
    names_.push_back(groups_ == 1 ? std::string("redis") : fmt::format("redis{}", g + 1));
    places_.push_back({g, false});
    servers_.push_back(std::make_unique<RedisServer>(redis_scripts()));
  }
}

NodeId Deployment::first_master(std::uint32_t group) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].group == group && !places_[i].replica) return redis_node(i);
  }
  PICKLOCK_CHECK(false);
  return 0;
}

void Deployment::install(World& world, const Scenario& scenario) {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    servers_[i]->set_options(scenario.redis);
    world.install(redis_node(i), *servers_[i]);
  }
}

}  // namespace picklock
