// Lost wake-up: the lock is free, a client waits for it, and none moves.
//
// A waiter is an acquire of a living client that is still pending when the settle phase ends.  Its lock
// stands still while no record of a grant, of a belief or of an operation tells of it.  A client that polls
// moves once in a back-off: what counts is a standstill longer than JudgeOptions::wake_up_bound.  What
// the probe brings about afterwards, a wake-up by its release for one, does not count.
#pragma once

#include <string>

#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// Finding::measure: the longest such standstill after healing, in ns; beside: how many wait in one.
// Witness: the waiter's hold and its invocation.
Finding lost_wake_up(const History& history, const JudgeOptions& options, Scratch& scratch);
std::string explain_lost_wake_up(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
