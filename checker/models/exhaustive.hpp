// For tests: decides a mutex history by trying every order (Wing and Gong), the slow way.
#pragma once

#include "checker/history.hpp"

namespace picklock {

enum class Owner { process, hold };

// Is there an order of the operations, all that succeeded and any of those that crashed, in which
// each lies between its invoke and its return and finds the mutex as it needs it?  For at most 60
// operations.
bool mutex_is_linearizable(const History& history, Owner owner);

}  // namespace picklock
