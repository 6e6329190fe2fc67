// Locks with one deliberate mistake each, for tests of the checker: SET NX PX with a random value and
// compare-and-delete, but for that mistake.
#pragma once

namespace picklock {

// Adds them to the table of locks, once.
void add_twin_locks();
// Locks that renew their lease, and "twin-renewing", which has no mistake.
void add_renewing_twins();

}  // namespace picklock
