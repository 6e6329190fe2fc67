// The service "etcd": a cluster, a client library for each client machine, and its invariants.
//
// Grants are judged by scenarios/services/etcd/etcd_grants.hpp, consensus by sim/etcd/invariants.hpp.
#pragma once

#include "scenarios/services/service.hpp"

namespace picklock {

extern const ServiceKind kEtcdService;

}  // namespace picklock
