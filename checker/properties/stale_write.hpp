// Stale write: a write took effect after an effect of a hold that was granted later.
//
// measure: how many.  Witness: the stale hold, the later one; the effect of the later, the write.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding stale_write(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_stale_write(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
