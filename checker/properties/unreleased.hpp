// Unreleased: a hold whose every acquisition was given back, and acknowledged, is still named by the service, or named anew by
// a command that came late, and goes on to be until something else than a command of its own ends that.
//
// measure: number of such holds.  Witness: the hold; the last acknowledgement; of one that was granted anew that grant.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding unreleased(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_unreleased(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
