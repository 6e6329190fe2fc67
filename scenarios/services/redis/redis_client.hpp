// A client machine's connections to Redis: one to each group's master, and one more for subscriptions.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/redis/redis_addresses.hpp"
#include "algorithms/redis/redis_servers.hpp"
#include "scenarios/services/service.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/redis/cluster/slot_route.hpp"
#include "sim/redis/sentinel/master_route.hpp"

namespace picklock {

class RedisServiceClient final : public ServiceClient, public RedisConnections {
 public:
  // One group of servers: its channels, `subscriptions` if the lock subscribes.
  void add(RpcChannel& commands, RpcChannel* subscriptions);
  // A channel finds the master by asking the sentinels, and again when it changes.
  void follow_master(World& world, RpcChannel& channel, const std::vector<RpcChannel*>& sentinels);
  // A channel finds the owner of the slot among the nodes of a cluster.
  void follow_slot(World& world, RpcChannel& channel, std::uint32_t slot, const std::vector<NodeId>& nodes);

  // Connections of a library's own lead from this machine to these.
  void lead_to(World& world, NodeId from, std::vector<NodeId> machines, RedisAddresses addresses) {
    world_ = &world, from_ = from, leads_to_ = std::move(machines), addresses_ = std::move(addresses);
  }

  void boot(World&, NodeId) override { opened_.clear(); }
  void give(Reach& reach) override;

  std::size_t open(std::size_t server, Event& changed) override;
  State state(std::size_t number) const override;
  const Redis& connection(std::size_t number) const override { return *opened_[number].redis; }
  void close(std::size_t number) override;

 private:
  struct Opened {
    std::size_t server = 0;
    RpcChannel* channel = nullptr;
    std::unique_ptr<Redis> redis;
    bool in_use = false;
  };
  World* world_ = nullptr;
  NodeId from_ = 0;
  std::vector<NodeId> leads_to_;
  RedisAddresses addresses_;  // addresses of the same machines
  std::vector<Opened> opened_;
  std::vector<Redis> servers_, subscribers_;  // the verbs over these channels
  RedisServers given_;                        // servers of either topology, as given
  std::vector<std::unique_ptr<MasterRoute>> master_routes_;
  std::vector<std::unique_ptr<SlotRoute>> slot_routes_;
};

}  // namespace picklock
