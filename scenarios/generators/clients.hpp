// Generators of clients: threads and machines, one lock or several, nested, shared, by force.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "algorithms/lock.hpp"
#include "checker/properties/assumptions.hpp"
#include "faults/fault_space.hpp"
#include "scenarios/workloads/client.hpp"

namespace picklock {

// Bounds on the clients of one scenario.
struct ClientBounds {
  bool threads = true;                      // true: several threads on one machine
  bool several_locks = true;                // other names than the scenario's, nested
  bool operators = true;                    // true: adds operators, who end others' holds by force
  bool abandons = true;                     // true: clients walk away from an acquire in mid-flight
  std::optional<AssumptionKind> mistake{};  // a mistake that half of the callers make
  std::int64_t most = 4;
  std::optional<Duration> longest_hold{};  // longest section; none: near the deadlines
  bool heeds_deadlines = false;            // true: every client stops at the deadline that came with its grant
};

namespace draw {

// One to `most` clients "a", "b", … of a lock of this kind whose usual name is `name`, whose holds,
// pauses and patience lie near the deadlines.  Entries that it cannot serve are not drawn: read
// holds, several names at once, an acquisition inside the same hold.
std::vector<ClientSpec> clients(const FaultSpace& space, const LockKind& kind, const std::string& name,
                                const ClientBounds& bounds);

}  // namespace draw

}  // namespace picklock
