// Redis for programs: commands and replies of RESP, each command an exchange of its own.
#pragma once

#include "algorithms/redis/redis_addresses.hpp"
#include "algorithms/redis/redis_servers.hpp"
#include "bridge/program_servers.hpp"

namespace picklock {

std::unique_ptr<ProgramServers> redis_servers_of(const Host& host, RedisConnections& connections,
                                                 const RedisAddresses& addresses);

}  // namespace picklock
