// A client's way to the master: asks the sentinels, connects, and checks the role.
//
//   MasterRoute route(world, {&to_sentinel1, &to_sentinel2, &to_sentinel3});
//   channel.follow(route);      // verbs use the channel as any other
//
// When the channel needs a connection, the sentinels are asked in turn, first the one that answered last
// time (SENTINEL get-master-addr-by-name); the answer is connected to and must call itself master (ROLE).
// Otherwise it tries again, after 50 ms, 100 ms, … 2 s, as long as requests wait: each waits for at
// most the channel's connect timeout, and then ends as not connected.  A connection that breaks, and
// an answer READONLY, make the next request look again.
//
// From:      docs/reference/sentinel-clients.md; the role check and the pauses are those of ioredis.
// Left out:  subscribing to +switch-master, as JedisSentinelPool and Redisson do: they leave an
//            old master that still answers as soon as a sentinel says so, this client does not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/rpc_channel.hpp"

namespace picklock {

class MasterRoute final : public Route {
 public:
  // The sentinels' channels are of the same client; their timeouts bound the wait for each sentinel.
  MasterRoute(World& world, std::vector<RpcChannel*> sentinels, std::string group = "mymaster")
      : world_(world), sentinels_(std::move(sentinels)), group_(std::move(group)) {}
  MasterRoute(const MasterRoute&) = delete;
  MasterRoute& operator=(const MasterRoute&) = delete;

  void wanted(RpcChannel& channel) override;
  void opened(RpcChannel& channel) override;
  void lost(RpcChannel& channel) override;
  Reaction heard(const Payload& reply) override;

  std::uint32_t searches() const { return searches_; }

 private:
  struct Changed;
  Task<void> search(Host host, RpcChannel* channel);
  Task<std::optional<NodeId>> ask(Host host);

  World& world_;
  std::vector<RpcChannel*> sentinels_;
  std::string group_;
  Event* changed_ = nullptr;  // null unless it searches
  bool searching_ = false;
  std::uint32_t searches_ = 0, incarnation_ = 0;
};

}  // namespace picklock
