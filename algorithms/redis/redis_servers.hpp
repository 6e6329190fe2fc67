// The Redis servers that a lock can reach (LockContext::reach).
#pragma once

#include <cstddef>
#include <span>

#include "base/check.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

struct RedisServers {
  std::span<const Redis> servers;        // one for each independent server
  std::span<const Redis> subscriptions;  // the same servers on other connections, if LockKind::subscribes

  std::size_t size() const { return servers.size(); }
  const Redis& operator[](std::size_t i) const {
    PICKLOCK_CHECK(i < servers.size());
    return servers[i];
  }
  const Redis& subscription(std::size_t i) const {
    PICKLOCK_CHECK(i < subscriptions.size());
    return subscriptions[i];
  }
};

// For a lock whose library opens connections of its own, and decides itself how long it waits.
class RedisConnections {
 public:
  enum class State : std::uint8_t { opening, open, closed };  // closed: refused, ended, or given up
  // Begins to open another connection to one of the independent servers. Gives its number; `changed` is notified when its state
  // changes, and when the server sends something unasked.
  virtual std::size_t open(std::size_t server, Event& changed) = 0;
  virtual State state(std::size_t number) const = 0;
  virtual const Redis& connection(std::size_t number) const = 0;
  virtual void close(std::size_t number) = 0;

 protected:
  ~RedisConnections() = default;
};

}  // namespace picklock
