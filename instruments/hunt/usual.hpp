// The usual hunt: its properties and its clients where a user names a lock alone.
#pragma once

#include <vector>

#include "instruments/hunt/strategy.hpp"

namespace picklock {

// Fate of the one client of a run without faults that works for three leases.
struct LongSection {
  bool outlives_lease = false;  // true: the service named it as owner for longer than one lease and a half
  bool renews = false;          // true: its hold was also prolonged; with a session no hold needs renewal
};
// Plays the lock of this scenario with its options; a lock without a lease has nothing to outlive.
LongSection long_section(const Scenario& scenario);

// All that the lock of this scenario claims with its options (scenarios/run/claims.hpp): of a lock that renews nothing with
// them, no claim about renewals.  Empty: it claims nothing that is judged.
std::vector<Property> claims_to_judge(const Scenario& scenario);

// If the lock's holds outlive a lease, its first client works once for longer than two leases, the load lasts long
// enough for that, and drawn sections may last for three leases.  Other locks: nothing.
void lengthen_sections(HuntSpace& space);

}  // namespace picklock
