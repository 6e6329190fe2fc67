// ZooKeeper for programs: the frames of Jute, each request between the two preemption points of its verb.
#pragma once

#include "bridge/program_servers.hpp"
#include "sim/zookeeper/connections.hpp"

namespace picklock {

std::unique_ptr<ProgramServers> zookeeper_servers_of(const Host& host, ZooConnections& connections);

}  // namespace picklock
