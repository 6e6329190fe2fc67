// A ClusterNode (cluster_node.hpp) as part of a Redis server in a world: its links, its file, its words.
//
//   const ClusterLayout layout = even_cluster(3, 1);   // masters 0 1 2, then the replicas of each
//   ClusterBus bus;
//   bus.set_up(layout, {node ids, by index}, 0, options);
//   server.set_bus(&bus);                              // call it before the server is installed
//
// From:      Redis 7.0, cluster_legacy.c: every node opens a link to every other and sends all packets through
//            it but a PONG, which goes back the way of its PING; a link that stays silent is replaced; what is
//            sent while there is none is lost.  Refusals: getNodeByQuery.
// Left out:  ASK and TRYAGAIN (no slot migrates), READONLY (a replica sends every client on), the keyless rest
//            of CLUSTER but INFO, KEYSLOT, MYID, NODES, SHARDS, SLOTS.  PUBLISH reaches the subscribers of its own node; a real one tells all nodes.
//            A client that waits in WAIT is not redirected.
// Hides:     a subscriber at another node than the publisher's hears nothing here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/redis/bus.hpp"
#include "sim/redis/cluster/cluster_node.hpp"

namespace picklock {

// A cluster that is in order: `masters` with a shard each, and `replicas` of every one.  Indices: the masters,
// then the replicas of the first, of the second, …
ClusterStore even_cluster(std::uint32_t masters, std::uint32_t replicas);

class ClusterBus final : public RedisBus, private ClusterDice {
 public:
  // nodes: by index.
  void set_up(ClusterStore initial, std::vector<NodeId> nodes, ClusterIndex me, const ClusterOptions& options,
              ClusterFlaw flaw = ClusterFlaw::none);

  void boot(World& world, NodeId node, std::string_view stored) override;
  void tick(const Replication& replication, Outbox& packets) override;
  void receive(const Message& message, Outbox& packets) override;
  NodeId master() const override { return node_->is_master() ? NodeId{0} : nodes_[node_->master()]; }
  bool serving() const override { return node_->serving(); }
  bool must_store() const override { return must_store_; }
  void store(std::string& file) override;
  std::optional<RedisReply> refusal(const RedisCommandView& command, std::string_view queued) const override;
  RedisReply command(const RedisCommandView& command) const override;

  const ClusterNode& node() const { return *node_; }  // its state now, or at its death

 private:
  struct Link {  // link to another node
    PeerLink link;
    std::int64_t since_ms = 0;
  };
  std::int64_t now_ms() const;
  std::int64_t below(std::int64_t n) override;
  // The node's outbox; a pong goes back on the connection where it was asked for.
  void collect(Outbox& packets, ConnectionId asked_on = kNoConnection);
  std::uint32_t shards() const { return static_cast<std::uint32_t>(node_->stored().owners.size()); }
  std::int64_t first_slot(std::uint32_t shard) const;
  const std::string& host_of(ClusterIndex i) const { return world_->nodes.name(nodes_[i]); }

  // --- cluster_answers.cpp: CLUSTER …
  RedisReply slots() const;
  RedisReply shards_and_nodes() const;
  RedisReply list_of_nodes() const;
  RedisReply info() const;
  std::string flags_of(ClusterIndex i) const;

  ClusterStore initial_;
  std::vector<NodeId> nodes_;
  ClusterIndex me_ = 0;
  ClusterOptions options_;
  ClusterFlaw flaw_ = ClusterFlaw::none;
  World* world_ = nullptr;
  NodeId own_ = 0;
  std::optional<ClusterNode> node_;
  std::vector<Link> links_;  // index: that of the node
  bool must_store_ = false;
};

}  // namespace picklock
