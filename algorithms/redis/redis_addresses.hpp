// The Redis machines of a scenario that a library's own connections can lead to, as RedisConnections::open() numbers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace picklock {

struct RedisAddress {
  enum class Role : std::uint8_t { master, replica, sentinel, node };  // role at the start; node: of a cluster
  std::string name;                                                    // name of the machine
  Role role = Role::master;
};

struct RedisAddresses {
  std::vector<RedisAddress> all;
  std::size_t servers = 0;  // the first of them: one of each group of servers with the same data
};

}  // namespace picklock
