// The service "zookeeper": an ensemble, a client library for each client machine, and its invariants.
//
// Grants are judged by scenarios/services/zookeeper/zookeeper_grants.hpp, broadcasts by ZooJudge (sim/zookeeper).
#pragma once

#include "scenarios/services/service.hpp"

namespace picklock {

extern const ServiceKind kZooKeeperService;

}  // namespace picklock
