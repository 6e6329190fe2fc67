// Wrong release: a command of one hold ended or decremented the ownership of another.
//
// measure: number of such commands.  Witness: the hold that suffered, then the one that did it; the record.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding wrong_release(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_wrong_release(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
