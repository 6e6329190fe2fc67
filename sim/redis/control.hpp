// Commands about the server itself rather than its data: roles, links, configuration, clients.
//
// The database finds and checks them, and knows their place in transactions; the process that runs it
// answers them.  A database without a process refuses them.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/redis/call.hpp"

namespace picklock {

enum class RedisControlCommand : std::uint8_t { client_kill, config, info, psync, replconf, replicaof, role, wait };

class RedisControl {
 public:
  virtual RedisReply control(RedisControlCommand command, RedisCall& call) = 0;
  virtual std::string_view mode() const { return "standalone"; }  // further modes: "cluster", "sentinel"

 protected:
  ~RedisControl() = default;
};

}  // namespace picklock
