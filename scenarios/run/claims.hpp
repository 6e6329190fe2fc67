// A lock's claims, held against one run.
#pragma once

#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

// Did all hold that mutual exclusion needs in this run?
bool within_assumptions(const RunResult& run);

// What the lock promises of this run: of what follows, each claim whose own assumptions held.
//
//   safe   mutual exclusion, no double grant, growing tokens, no release and no renewal of another's hold
//   live   what no client holds is free after healing, and no client starves or is forgotten; unless a server stays dead
//          for longer than the faults last, or the lock says that its queue waits for
//          a dead client longer than the run
//   fair   no client overtakes another, if the lock claims so and no server dies: requests have no order of arrival then;
//          nor does the run last longer than its queue waits for the dead: it may drop living clients by then
//
// Not counted is what clients do to themselves (locks in opposite orders), or what the lock says of itself (a dead holder
// keeps it).
std::vector<Property> claims_in(const LockKind& kind, const Scenario& scenario, const RunResult& run);
// What the lock promises of some run at all, whatever its assumptions: a test that never could break one of these has not
// tested that.
std::vector<Property> claims_of_lock(const LockKind& kind, const Options& options);

// Those of them that are violated; those of waiters unless a longer run shows that they hold, since a dead client's session
// holds on for its time.
std::vector<Property> broken_claims(const LockKind& kind, const Scenario& scenario, const RunResult& run);

}  // namespace picklock
