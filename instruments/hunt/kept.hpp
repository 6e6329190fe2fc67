// A finding as a scenario file of its own, ready for the library or for a folder of regressions.
#pragma once

#include <string>

#include "campaigns/keep.hpp"
#include "instruments/hunt/hunt.hpp"

namespace picklock {

// Options to keep its run: `origin` says around what it was found, and the story what it takes and how often it fails.
KeepOptions kept_as(const HuntFinding& finding, const std::string& origin);

// The faults in words: "the pause of a and the partition between a and redis"; "no fault at all".
std::string words_of_faults(const FaultPlan& faults);

}  // namespace picklock
