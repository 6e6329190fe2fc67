// Lost update: an acknowledged write was overwritten by one that had not seen it, or was refused.
//
// A foreign history is judged by its final read: every acknowledged addition must be in it.
// measure: how many acknowledged writes were lost.  Witness: the hold whose write was lost and the
// one that overwrote it; both writes.  Of a refused write that was acknowledged all the same: its hold and itself.
// Foreign: the addition and the final read.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding lost_update(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_lost_update(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
