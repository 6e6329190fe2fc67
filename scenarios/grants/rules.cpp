#include "scenarios/grants/rules.hpp"

#include "scenarios/grants/etcd_grants.hpp"
#include "scenarios/grants/redis_key_owners.hpp"
#include "scenarios/grants/zookeeper_grants.hpp"

namespace picklock {

std::span<const std::string_view> services_with_rules() {
  static constexpr std::string_view kNames[] = {"redis", "etcd", "zookeeper"};
  return kNames;
}

std::span<const OwnershipRule> ownership_rules(std::string_view service) {
  if (service == "redis") return kRedisOwnership;
  if (service == "etcd") return kEtcdOwnership;
  if (service == "zookeeper") return kZnodeOwnership;
  return {};
}

}  // namespace picklock
