// Wrong renewal: a command of one hold extended the ownership of another.
//
// measure: how many.  Witness: the hold that was extended, then the one that did it; the record.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding wrong_renewal(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_wrong_renewal(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
