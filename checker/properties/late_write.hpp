// Late write: a write took effect after the grant of its hold had ended, before anybody who was
// granted the lock later had touched the resource.  No fencing token can prevent it, so it informs
// and accuses no lock.
//
// measure: how many.  Witness: the hold; the write.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding late_write(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_late_write(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
