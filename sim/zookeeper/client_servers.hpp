// The servers that one client handle tries in turn, in an order that it has drawn.
//
// From:      StaticHostProvider and ClientCnxn.SendThread.startConnect of ZooKeeper 3.8.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/world.hpp"
#include "sim/zookeeper/client.hpp"

namespace picklock {

// Keeps the order of the servers, which one is tried now, and where the round of attempts began.
class ZooClientServers {
 public:
  explicit ZooClientServers(std::vector<NodeId> servers) : servers_(std::move(servers)) {}

  void shuffle(const Host& host);
  // Goes on to the next server; milliseconds to pause before the attempt.
  std::int64_t next(const Host& host, const ZooClientOptions& options);
  void reached() { ever_reached_ = true; }        // the current server has accepted the connection
  void take_session() { last_good_ = current_; }  // the current server has accepted the session

  NodeId current() const { return servers_[current_]; }
  std::size_t size() const { return servers_.size(); }

 private:
  std::vector<NodeId> servers_;
  std::size_t current_ = 0;
  std::optional<std::size_t> last_good_;  // server where the round of attempts began
  bool ever_reached_ = false;
};

}  // namespace picklock
