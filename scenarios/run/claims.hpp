// A lock's claims: those it makes, and those that one run puts to the test.
#pragma once

#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/result.hpp"

namespace picklock {

// All that a lock of this kind claims with these options, in the order of the table of properties: a test that never could break one of
// these has not tested it.  A lock without a lease promises no bound for a wait, one that renews nothing no renewal, and one of
// several permits wakes any waiter.
std::vector<Property> claimed_properties(const LockKind& kind, const Options& options);

// Those of safety alone, in every run within their assumptions. Not lost updates: a write that is under way when its author gives up may
// land at any time.
std::vector<Property> safety_claims(const Claims& claims);

// Does every client take its locks in the order of their names, each once?
bool takes_in_one_order(const Scenario& scenario);

// Did all hold that mutual exclusion needs in this run?
bool within_assumptions(const RunResult& run);

// The lock's promises for a run in which this happened, whether or not its assumptions were met:
//
//   safe   mutual exclusion, no double grant, growing tokens, no release and no renewal of another's hold
//   live   what no client holds is free after healing, and no client starves or is forgotten; unless a server stays dead
//          for longer than the faults last, or the lock says that its queue waits for
//          a dead client longer than the run
//   fair   no client overtakes another, if the lock claims so and no server dies: requests have no order of arrival then;
//          nor does the run last longer than its queue waits for the dead: it may drop living clients by then
//
// It does not count what clients do to themselves (locks in opposite orders), or what the lock says of itself (a dead
// holder keeps it).
std::vector<Property> promised_in(const LockKind& kind, const Scenario& scenario, const RunResult& run);

// Those of them whose own assumptions the run met.
std::vector<Property> claims_in(const LockKind& kind, const Scenario& scenario, const RunResult& run);

// A queue that gives up clients after a time gives up one of little patience sooner, be it alive.
bool gives_turns_away(const Scenario& scenario, const LockKind& kind);

// The settle phase after which a violation of a property of waiters is believed: a dead client's session keeps what it had for
// its time.  Where no client died, no session does, and a waiter that stands still before a free lock is believed after
// its own bound.
Duration settle_that_outlasts(const RunResult& run, Property property);

// Does a violated property of waiters hold in a run that settles for so long?  False if this run has done so.
bool holds_when_played_on(Scenario scenario, const RunResult& run, Property property);

// Those claims that are violated; those of waiters unless a longer run shows that they hold.
std::vector<Property> broken_claims(const LockKind& kind, const Scenario& scenario, const RunResult& run);

}  // namespace picklock
