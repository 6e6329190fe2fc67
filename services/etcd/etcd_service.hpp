// The service "etcd": a cluster, a client library for each client machine, and its invariants.
//
// Grants are judged by services/etcd/etcd_grants.hpp, consensus by sim/etcd/invariants.hpp.
#pragma once

#include "services/service.hpp"

namespace picklock {

extern const ServiceKind kEtcdService;

}  // namespace picklock
