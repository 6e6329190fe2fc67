#include "scenarios/services/etcd/etcd_late_renewals.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/etcd/inspect.hpp"

namespace picklock {
namespace {

struct Lease {
  std::uint64_t id;
  std::int64_t ttl_ns;
  std::int64_t renewed;  // time of the last renewal
};

std::int64_t due_after(const Lease& lease) { return lease.ttl_ns / 3 + milliseconds(500).ns; }

}  // namespace

Duration latest_renewal(const World& world, std::span<const NodeId> members) {
  std::vector<Lease> leases;
  std::int64_t latest = 0;
  std::int64_t last_death = -1;
  const auto heard = [&](const Lease& lease, std::int64_t now) {
    const bool may_be_dead = last_death >= lease.renewed;
    if (!may_be_dead) latest = std::max(latest, now - lease.renewed - due_after(lease));
  };
  for (const TraceRecord& r : world.trace.journal()) {
    const bool tells_of_lease = r.kind == trace::etcd_lease_granted || r.kind == trace::etcd_lease_renewed ||
                                r.kind == trace::etcd_lease_revoked;
    const auto lease = !tells_of_lease
                           ? leases.end()
                           : std::find_if(leases.begin(), leases.end(), [&](const Lease& l) { return l.id == r.b; });
    switch (r.kind) {
      case trace::process_killed:
      case trace::process_panicked:
      case trace::power_lost:
        if (std::find(members.begin(), members.end(), r.node) == members.end()) last_death = r.time;
        break;
      case trace::etcd_lease_granted:
        if (lease == leases.end()) leases.push_back({r.b, static_cast<std::int64_t>(r.c) * seconds(1).ns, r.time});
        break;
      case trace::etcd_lease_renewed:
        if (lease == leases.end()) break;
        heard(*lease, r.time);
        lease->renewed = r.time;
        break;
      case trace::etcd_lease_revoked:
        if (lease == leases.end()) break;
        heard(*lease, r.time);
        leases.erase(lease);
        break;
      default:
        break;
    }
  }
  for (const Lease& lease : leases) heard(lease, world.now().ns);
  return {latest};
}

}  // namespace picklock
