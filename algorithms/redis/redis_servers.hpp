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

}  // namespace picklock
