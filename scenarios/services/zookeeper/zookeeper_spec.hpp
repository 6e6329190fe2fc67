// The [zookeeper] table of a scenario: the ensemble of a lock that asks ZooKeeper.
#pragma once

#include <cstdint>
#include <string_view>

#include "scenarios/services/settings.hpp"
#include "sim/task/fields.hpp"
#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/server_options.hpp"

namespace picklock {

// Machines: zookeeper1, zookeeper2, …, the observers last.
struct ZooKeeperSpec {
  std::int64_t servers = 3, observers = 0;
  std::int64_t counter_starts_at = 0;  // nodes made in the locks' directories before the run; 0: there is no directory
  ZooServerOptions server;             // options of every server
  ZooClientOptions client;             // options of every client

  void fields(FieldVisitor& v);
  bool operator==(const ZooKeeperSpec&) const = default;
};
template <>
inline constexpr std::string_view kServiceTable<ZooKeeperSpec> = "zookeeper";

}  // namespace picklock
