// A lock's claims, held against one run.
#pragma once

#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

bool within_assumptions(const RunResult& run);

// The properties that are violated although the lock claims them and its assumptions held.
//
// Safe: mutual exclusion, no double grant, growing tokens, no release and no renewal of another's hold.  Live: what no
// client holds is free after healing; without faults, no client starves or is forgotten.  Fair, if it claims so: without
// faults, no client overtakes another.  Not counted is what clients do to themselves (locks in opposite orders), or what
// the lock says of itself (a dead holder keeps it).
std::vector<Property> broken_claims(const LockKind& kind, const Scenario& scenario, const RunResult& run);

}  // namespace picklock
