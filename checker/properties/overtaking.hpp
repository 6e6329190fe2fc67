// Overtaking: grants to requests that the service received after mine and before my grant.
//
// Violated if one request suffers more than JudgeOptions::overtaking_limit; without a limit not applicable, and counted.
// measure: the most that any one request suffered.  beside: all together.
// Witness: the request that suffered most and the first that overtook it; their grants.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// `scratch` must have been prepared with the same history and options.
Finding overtaking(const History& history, const JudgeOptions& options, Scratch& scratch);

// The witness of a violation, as a sentence.
std::string explain_overtaking(const Finding& finding, const History& history, const JudgeOptions& options);

}  // namespace picklock
