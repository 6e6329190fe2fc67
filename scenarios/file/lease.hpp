// The lease of a lock, whatever its kind calls it, and what its clients do when they lose it.
//
// Locks can only be compared if their leases are alike.  A scenario says `lease = "10s"` of any lock; the kind translates
// that into its own option, rounded as its library does.  What the servers make of it, `granted` tells.
#pragma once

#include <optional>
#include <string>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// May `lease` be said of a lock of this kind, as its own options have none of that name?  Of a lock that no time ends it
// changes nothing, and the output says so.
bool takes_lease(const LockSpec& lock);

// Sets the option that says how long a lease lasts to the nearest that the kind's library can ask for.
void ask_for_lease(LockSpec& lock, Duration lease);

// Makes options and clients those of `lock.on-loss`.
void apply_on_loss(Scenario& scenario);

// The lease that library and servers make of one that is asked for.
Duration granted_lease(const LockKind& kind, const ServiceSettings& settings, Duration asked);

struct LeaseTold {
  std::optional<Duration> asked;  // lease of the scenario, or of the lock that another has replaced
  std::optional<Duration> lasts;  // lease that the servers grant; none: nothing ends a hold by time
  std::string text;               // the whole in one sentence
};
LeaseTold lease_told(const Scenario& scenario);

}  // namespace picklock
