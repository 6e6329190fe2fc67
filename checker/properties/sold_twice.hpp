// Sold twice: two holds each had their sale of one seat acknowledged.
//
// measure: how many seats.  Witness: the two holds and the two writes.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding sold_twice(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_sold_twice(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
