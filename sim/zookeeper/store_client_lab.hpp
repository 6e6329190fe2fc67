// For tests: a client that speaks ZooKeeper's protocol itself and keeps a history of what it saw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/peer_link.hpp"
#include "sim/zookeeper/store_history.hpp"

namespace picklock::testing {

// A client library would hide the zxid of each answer; this client sees it.
class StoreClient final : public Program {
 public:
  struct Setup {
    std::vector<NodeId> servers;
    Duration timeout = milliseconds(200);  // session timeout that the client asks for
    Duration until;                        // true time at which it stops
    StoreHistory* history = nullptr;
    bool vanishes = false;  // now and then it is silent for longer than its session lasts
  };
  void set_up(Setup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override;

 private:
  Task<void> run(Service service);
  Task<bool> connect(Service service);
  Wait next_message(const Service& service, MonoTime due) const {
    return service.wait({.until = due, .what = "an answer", .timer = "patience"});
  }
  std::size_t send(const Service& service);  // a request that is drawn; its place in the history
  void transmit(const Service& service, const ZooRequest& request);
  bool heard(const Service& service, const Message& message, std::size_t expected);

  Setup setup_;
  PeerLink link_;
  std::size_t connection_number_ = 0;
  std::int64_t session_ = 0, seen_ = 0;
  std::uint64_t password_ = 0;
  std::int32_t xid_ = 0;  // goes on over sessions: an operation is named by session and xid
};

}  // namespace picklock::testing
