// Mutual exclusion: no two conflicting holds of one name are believed in at the same time.
//
// measure: the total time in which beliefs conflict, ns.  beside: the part of it in which holds
// whose processes run conflict among themselves, ns.
// Witness: the conflicting holds of the first conflict, and where those beliefs begin and end.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding mutual_exclusion(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_mutual_exclusion(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
