// Both ends of replication links, as values: the replicas of a master, and a replica's link to its master.
//
// Instants are those of the server's wall clock, in whole seconds where a real server has those.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/peer_link.hpp"

namespace picklock {

struct RedisReplica {
  ConnectionId connection = kNoConnection;
  NodeId node = 0;
  bool online = false;          // false: it waits for a snapshot
  bool at_once = false;         // ignores repl-diskless-sync-delay
  std::int64_t ack_offset = 0;  // it has applied all before
  std::int64_t acked_s = 0;     // time of its last acknowledgement
  std::int64_t attached_s = 0;
};

class RedisReplicas {
 public:
  std::vector<RedisReplica>& all() { return all_; }  // replicas in the order of their arrival
  const std::vector<RedisReplica>& all() const { return all_; }
  RedisReplica* of(ConnectionId connection) { return const_cast<RedisReplica*>(std::as_const(*this).of(connection)); }
  const RedisReplica* of(ConnectionId connection) const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [=](const RedisReplica& r) { return r.connection == connection; });
    return found != all_.end() ? &*found : nullptr;
  }
  bool remove(ConnectionId connection) {
    return std::erase_if(all_, [=](const RedisReplica& r) { return r.connection == connection; }) > 0;
  }
  std::int64_t that_have(std::int64_t offset) const {  // the number that WAIT compares
    return std::count_if(all_.begin(), all_.end(),
                         [=](const RedisReplica& r) { return r.online && r.ack_offset >= offset; });
  }
  std::int64_t good(std::int64_t now_s, std::int64_t max_lag_s) const {  // number for min-replicas-to-write
    return std::count_if(all_.begin(), all_.end(),
                         [=](const RedisReplica& r) { return r.online && now_s - r.acked_s <= max_lag_s; });
  }

 private:
  std::vector<RedisReplica> all_;
};

struct MasterLink {
  enum class State : std::uint8_t {
    none,        // this server is a master
    connect,     // the next cron opens the link
    connecting,  // first state with a connection
    ping,
    configure,
    psync,  // may last for seconds, until the master's snapshot
    connected
  };
  NodeId master = 0;
  State state = State::none;
  bool at_once = false;  // asks for a snapshot without delay: a run that begins with the link in place
  PeerLink peer;
  std::int64_t heard_s = 0;  // time of the master's last message
  std::optional<std::int64_t> down_since_s;

  bool connected() const { return state == State::connected; }
  bool opening() const { return state > State::connect && state < State::connected; }
};

}  // namespace picklock
