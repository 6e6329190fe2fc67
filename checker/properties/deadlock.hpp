// Deadlock: clients that hold what the next one waits for, round in a circle.
//
// The wait-for graph at one instant: client a waits for client b if an acquire of a is pending and b
// has a live hold on one of the names that it asks for, and the two modes conflict.  A hold is live
// while the service names it and its client believes in it: an orphan that no client believes in keeps
// others out, but its client waits for nothing.  A cycle is a deadlock from the instant on at which
// it closes, a lock that waits for itself included; cycles of zero length do not count.
//
// A lock called "x+y" stands for x and y.  While it is asked for, what the service has granted of it is live as well:
// its client has that half, waits for the other, and gives nothing back before it has both or gives up.  It waits for
// no name that it was granted and has not given back, even if the service has taken that from it since.
//
// With JudgeOptions::reentrant a client's own exclusive hold never blocks it; its own read hold blocks its upgrade to
// a writer.
#pragma once

#include <string>

#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// Finding::measure: how often a cycle closed; beside: for how long in all there was one, in ns.
// Witness: holds[i]'s client waits for holds[i + 1], the last for the first; events[0] is the record
// that closed the cycle, events[1] the one that broke it, if one did.
//
// O(n log n) as long as no holder waits; then O(clients + waits) for every instant.
Finding deadlock(const History& history, const JudgeOptions& options, Scratch& scratch);
std::string explain_deadlock(const Finding& finding, const History& history, const JudgeOptions& options);

// Is `name` the lock, or one of those that the multi-lock "x+y" stands for?
bool stands_for(const Names& names, NameId lock, NameId name);

// Is there a hold of several locks, "x+y"?  If there is none, every hold stands alone.
bool names_several(const History& history);

// The multi-lock's hold on all its names, for a hold on one of them; kNoHold if it is none.  In a simulated history the
// parts follow their whole, one for each name (scenarios/workloads/lock_plan.hpp).
HoldId whole_of(const History& history, HoldId part);

// Is it a hold on several names at once?
bool is_whole(const History& history, HoldId hold);

// Visits the holds of which this one is the whole, in their order.  Of a history that was read others may stand between them.
template <class Visit>
void for_each_part(const History& history, HoldId whole, Visit visit) {
  if (!is_whole(history, whole)) return;
  for (HoldId part = whole + 1; part < history.holds.size() && !is_whole(history, part); ++part) {
    if (history.holds[part].client != history.holds[whole].client) return;
    if (whole_of(history, part) == whole) visit(part);
  }
}

}  // namespace picklock
