// The cluster's part of a Redis server: which node follows which, and which may answer.
//
// The server's single thread works for it, too: it hands over packets, the news of the bus's own links and the
// time, asks it before each command of a client, stores what must be stored, follows the role that it says, and
// only then lets its packets leave.  A server without a bus stands alone.  Implemented by sim/redis/cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/core/send.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

// The `call` of a message that is a packet of the bus.  A real node listens for them on a second port;
// calls of clients are greater, those of replication links smaller.
inline constexpr std::uint64_t kBusCall = 2;

class RedisBus {
 public:
  struct Replication {  // replication state that the server reports
    std::int64_t offset = 0;
    std::optional<std::int64_t> age_ms;  // time since its master was last heard of; none: never
  };

  virtual void boot(World& world, NodeId node, std::string_view stored) = 0;  // stored: a former process's, or empty
  // Ten times a second.  `packets` holds what the bus sends until the server has stored what must be stored.
  virtual void tick(const Replication& replication, Outbox& packets) = 0;
  virtual void receive(const Message& message, Outbox& packets) = 0;  // a packet, or news of a link that the bus opened
  virtual NodeId master() const = 0;  // the node that this one follows; 0: it is a master
  virtual bool serving() const = 0;   // false: it refuses every command with a key
  virtual bool must_store() const = 0;
  virtual void store(std::string& file) = 0;  // writes what a restart must find
  // Reason why a client's command is not executed here; `queued`: the transaction that it would execute.
  virtual std::optional<RedisReply> refusal(const RedisCommandView& command, std::string_view queued) const = 0;
  virtual RedisReply command(const RedisCommandView& command) const = 0;  // CLUSTER …

 protected:
  ~RedisBus() = default;
};

}  // namespace picklock
