// The [redis] and [sentinel] tables of a scenario.
#pragma once

#include <cstdint>
#include <string_view>

#include "scenarios/services/settings.hpp"
#include "sim/redis/cluster/options.hpp"
#include "sim/redis/options.hpp"
#include "sim/redis/sentinel/options.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

// Redis servers beside the masters that the lock needs.  Machines: redis (or redis1, redis2, …), redis-replica1
// (redis1-replica1), …, sentinel1, …  Of a cluster the masters are redis1, redis2, …, each with an equal share of the
// slots; clients follow the owner of the lock's slot.
struct TopologySpec {
  std::int64_t replicas = 0;   // replicas of each master
  std::int64_t sentinels = 0;  // sentinels that watch over the only master; clients ask them for it
  std::int64_t cluster = 0;    // masters of a cluster; 0: none

  void fields(FieldVisitor& v);
  bool operator==(const TopologySpec&) const = default;
};

struct RedisSpec {
  TopologySpec topology;
  RedisOptions server;     // options of every server
  ClusterOptions cluster;  // options of every node of a cluster

  void fields(FieldVisitor& v);
  bool operator==(const RedisSpec&) const = default;
};
template <>
inline constexpr std::string_view kServiceTable<RedisSpec> = "redis";
template <>
inline constexpr std::string_view kServiceTable<SentinelOptions> = "sentinel";

}  // namespace picklock
