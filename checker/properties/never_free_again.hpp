// Never free again: at the end of the run a fresh client is refused, though no client holds the lock.
//
// measure: how many locks.  Witness: the hold that owns it still, if any; the two ends of the
// probe.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding never_free_again(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_never_free_again(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
