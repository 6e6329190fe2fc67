// Measures how long clients with a lease went without a renewal that was due.
#pragma once

#include <span>

#include "sim/core/world.hpp"

namespace picklock {

// A client of etcd renews its lease once a third of its TTL and half a second have passed. By how much the latest renewal of
// a run came later than that, or did not come before the lease ended: the time for which its client had no connection,
// as far as the servers can tell. The leases of processes that died are left out.
Duration latest_renewal(const World& world, std::span<const NodeId> members);

}  // namespace picklock
