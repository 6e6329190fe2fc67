// The definitions again, as slowly and plainly as they can be said: every instant is looked at,
// every pair is compared.  Tests hold the fast checks to these.
//
// Times must be small, 0 and above.
#pragma once

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"

namespace picklock::reference {

// Verdict, reason, missing condition and measures; no witness.
Finding judge(Property property, const History& history, const JudgeOptions& options);

SometimesMask happened(const History& history, const JudgeOptions& options);

// Does the witness of this violation prove it by itself?
bool proves(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock::reference
