// Connections of a client machine to the servers, for a library that keeps its sessions by itself: a program behind bridge/.
//
//   const auto number = connections.open(server, changed);   // `changed` is notified of all that comes
//   connections.send(number, request);                       // the request belongs to the running task's operation
//   while (auto reply = connections.take(number)) …
//
// The network and the servers are those of ZooClient.  Reconnecting, pings and timeouts are the library's business.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/task/combinators.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

class ZooConnections {
 public:
  enum class State : std::uint8_t { opening, open, closed };  // closed: refused, ended, or given up

  // A process begins: the connections of the one before are gone.
  void boot(World& world, NodeId node, std::vector<NodeId> servers);
  std::size_t servers() const { return servers_.size(); }

  std::size_t open(std::size_t server, Event& changed);
  State state(std::size_t number) const;
  // Has no effect unless the connection is open.
  void send(std::size_t number, const ZooRequest& request);
  // The oldest message of the server that was not taken.
  std::optional<ZooReply> take(std::size_t number);
  void close(std::size_t number);

 private:
  struct Connection {
    PeerLink link;
    Event* changed = nullptr;  // null: free to be used again
    std::deque<ZooReply> came;
    std::int64_t session = 0;  // session that a server has accepted on it
    bool closing = false;      // the session is to be closed
  };
  Task<void> run(Service service);
  void hear(const Service& service, Connection& connection, Message& message);
  void record_link(Connection& connection, std::uint32_t state);

  World* world_ = nullptr;
  NodeId node_ = 0;
  std::vector<NodeId> servers_;
  std::deque<Connection> all_;
  bool running_ = false;
};

}  // namespace picklock
