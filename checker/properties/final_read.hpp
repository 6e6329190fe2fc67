// Lost updates of a foreign history: acknowledged additions that are absent from the final read.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

// Operations `add` (or `append`) and `read`, per object.  The final read of an object is its last
// one that returned ok; it must answer with a collection, as text: [1 2], (1 2) or #{1 2}.  Only
// additions acknowledged before it was invoked count; those that ended in info count neither way.
Finding judge_final_reads(const History& history, Scratch& scratch);
std::string explain_final_reads(const Finding& finding, const History& history);

}  // namespace picklock
