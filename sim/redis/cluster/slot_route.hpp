// A client's way to the node of a cluster that owns one key's slot.
//
//   SlotRoute route(world, cluster_slot("lock"), {node1, node2, …});
//   channel.follow(route);      // verbs use the channel as any other
//
// MOVED names the owner: the same request goes there, up to 16 times in a row.  CLUSTERDOWN: after 250 ms the
// owner is asked for again (CLUSTER SLOTS, of the nodes in turn, beginning behind the one that was left) and the
// request sent again, up to three times; then it ends with that error (that pause counts as connecting).  A broken
// connection, or one that cannot be opened, makes the next request ask.
//
// From:      redis-py 5, RedisCluster (redis/cluster.py): RedisClusterRequestTTL 16, cluster_error_retry_attempts 3,
//            the pause of a quarter of a second.  Jedis gives CLUSTERDOWN to the caller at once.
// Left out:  redis-py also sends a request again whose connection broke or timed out, though it may have been
//            executed: here it ends as unknown, and what follows is the lock's decision.  ASK; reads from replicas.
// Hides:     a real client has a pool of connections to each node: here a redirection ends the one connection,
//            and with it what other tasks have under way on it.
#pragma once

#include <optional>
#include <vector>

#include "sim/core/rpc_channel.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

class SlotRoute final : public Route {
 public:
  SlotRoute(World& world, std::uint32_t slot, std::vector<NodeId> nodes)
      : world_(world), slot_(slot), nodes_(std::move(nodes)) {}
  SlotRoute(const SlotRoute&) = delete;
  SlotRoute& operator=(const SlotRoute&) = delete;

  void wanted(RpcChannel& channel) override;
  void opened(RpcChannel& channel) override;
  void lost(RpcChannel& channel) override;
  Reaction heard(const Payload& reply) override;

  std::uint32_t searches() const { return searches_; }
  std::uint32_t redirections() const { return redirections_; }

 private:
  struct Changed;
  Task<void> search(Host host, RpcChannel* channel);
  std::optional<NodeId> owner_in(const RedisReply& slots) const;

  World& world_;
  std::uint32_t slot_;
  std::vector<NodeId> nodes_;
  Event* changed_ = nullptr;            // null unless it searches
  std::optional<NodeId> told_;          // the node that the last answer named
  std::size_t next_ = 0;                // the node to ask otherwise
  std::uint32_t moved_ = 0, down_ = 0;  // number of consecutive answers of each
  bool searching_ = false, wait_first_ = false;
  std::uint32_t searches_ = 0, redirections_ = 0, incarnation_ = 0;
};

}  // namespace picklock
