// Double grant: ownership begins while the lock is promised to a conflicting other hold.
//
// A promise ends with the release of the hold, with a declared force, or when the last applied set
// or extension runs out in true time, and with nothing else: not with loss of data, not with a step
// of the clock that the server expires by.
// measure: how many times ownership began so.  Witness: the holds with the older promises, then the
// new owner; for each the record that promised or began.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding double_grant(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_double_grant(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
