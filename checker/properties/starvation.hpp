// Starvation: after healing, an acquire waits longer than the bound.
//
// measure: the longest wait after healing, ns.  beside: how many waited longer than the bound.
// Witness: the invocation of the longest; its hold, if it got one.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding starvation(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_starvation(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
