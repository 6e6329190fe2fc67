// Fencing: tokens grow in the order of grants.
//
// The token of a hold is its newest.  Readers are not ordered among themselves.  A hold that takes over the
// place of an earlier one of its client, which is `released` by it, may have the token of that place.
// Hidden by that: a write of the earlier hold that arrives after the later one's; stale-write shows it.
// Within a hold the tokens never decrease.  A foreign history orders two holds only if the acquire of the first
// returned before that of the second was invoked.
// measure: how many holds have a token that is not above those before, plus how many decreases.
// Witness: the earlier hold and the later one, and their grants; or one hold and the two answers.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding fencing_monotonicity(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_fencing_monotonicity(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
