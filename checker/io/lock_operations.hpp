// A history as a checker of locks wants it: of one lock, or with one acquire and one release for each hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

// The facts that a run was judged by, as operations.  Operations say what clients were told, beliefs for how long they
// acted on it, and mutual exclusion is a matter of beliefs (docs/definitions.md).  In the result
//
//   - the acquire of a hold succeeds at the instant at which its client begins to believe in it, and a release, invoked
//     and ok at once, stands where the client ceases to: by a release, whatever its answer, by loss, deadline or death;
//   - of two such instants that are equal the end comes first, since beliefs are half-open intervals; a hold that was
//     believed for no time at all is an acquire that failed;
//   - acquires within a hold of the same client belong to it, and are left out with their releases;
//   - a hold on several names ("x+y") is a hold on each; from the second on they belong to processes of their own, as
//     does a release whose process waits for something else;
//   - acquires that were refused, or whose outcome the client did not learn, stay what they are.
//
// Operations of other functions are left out, and so are beliefs, grants and effects.  Indices are counted anew.
// In a history without beliefs (History::omniscient) the acquires and releases stay as they are: acquire, release, and
// both with -read or -write.  Throws WriteError if no process number or function is left.
History with_beliefs_as_operations(const History& history);

// The events of one lock: operations on it (or on several names, it among them), and beliefs, grants and effects of its
// holds.  Operations of no client, processes and phases stay.
// Throws WriteError, with the nearest name, if the history does not know the lock.
History only_of_lock(const History& history, std::string_view lock);

// The locks that acquires and releases name, in the order of their first operation; in a run "x+y" is x and y.
std::vector<std::string> locks_of(const History& history);

}  // namespace picklock
