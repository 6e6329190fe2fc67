// Whether a hold was given back, or ended by a command that its client sent for another reason.
#pragma once

#include "checker/history.hpp"

namespace picklock {

// Judges a GrantChange::released: the client still believed in the hold, and had asked for no release.  A task beside
// it has sent the command: a renewal, a clean-up.
bool ended_unasked(const History& history, const GrantEvent& released);

}  // namespace picklock
