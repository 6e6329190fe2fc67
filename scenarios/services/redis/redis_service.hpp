// The service "redis": independent servers, replicas, sentinels, a cluster; a connection to each for every client
// machine.
//
// A client machine knows one address for each group of servers.  With sentinels, or in a cluster, its connections
// look up the master by themselves.  Grants are judged by scenarios/services/redis/redis_grants.hpp.
#pragma once

#include "scenarios/services/service.hpp"

namespace picklock {

extern const ServiceKind kRedisService;

}  // namespace picklock
