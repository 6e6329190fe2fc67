// For the tests of this folder: a cluster of servers and a client in one world, and faults.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/redis/cluster/cluster_bus.hpp"
#include "sim/redis/cluster/slot_route.hpp"
#include "sim/redis/fault_lab.hpp"
#include "sim/redis/server.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct ClusterLabOptions {
  std::uint32_t masters = 3, replicas = 1;
  ClusterOptions cluster = {.node_timeout = seconds(2)};
  RedisOptions redis = {};
  ClusterFlaw flaw = ClusterFlaw::none;
};

// Nodes 1 to masters are the masters, the others their replicas, in order; the client is the last.
class ClusterLab : public FaultLab {
 public:
  static constexpr std::string_view kKey = "{0}k";  // slot 13907: of the last of three shards

  explicit ClusterLab(const ClusterLabOptions& options = {}, std::uint64_t seed = 1);
  ~ClusterLab() { world.reset(0); }

  static NodeId node(std::uint32_t i) { return static_cast<NodeId>(1 + i); }
  std::uint32_t owner() const { return cluster_shard(kKey, options_.masters); }  // owner at the start
  std::uint32_t replica() const { return options_.masters + owner() * options_.replicas; }

  std::string ask(std::uint32_t to, RedisCommand command);  // one command, straight to one node
  // Writes the key through the channel that follows the slot; the answers go to `writes`.
  struct Write {
    Duration when;  // it was answered
    std::string what;
    NodeId by;
  };
  void write_every(Duration period);
  std::vector<Write> writes;
  std::size_t count(std::string_view what, NodeId by, Duration from, Duration to) const;
  std::vector<std::uint32_t> serving() const;  // nodes that would execute a command for the key now

  std::vector<std::unique_ptr<ClusterBus>> buses;
  std::vector<std::unique_ptr<RedisServer>> servers;
  std::unique_ptr<SlotRoute> route;
  RpcChannel* channel = nullptr;
  std::vector<RpcChannel*> direct;
  NodeId client = 0;

 private:
  static Task<void> issue(Host host, ClusterLab* lab, RpcChannel* to, RedisCommand command, std::uint32_t ordinal,
                          std::string* answer);
  static Task<void> write(Host host, ClusterLab* lab, Duration period);

  ClusterLabOptions options_;
  std::uint32_t commands_ = 0;
};

}  // namespace picklock
