// *Sometimes* conditions: what must have happened before "holds" means anything.
//
// A run without contention for the lock proves nothing.  Each property names the condition under
// which it was put to the test; without it, "holds" becomes "undecided".  The probe is the judge's
// own doing and counts for none of the conditions.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "checker/history.hpp"
#include "checker/properties/options.hpp"
#include "checker/properties/scratch.hpp"

namespace picklock {

struct SometimesInfo {
  Sometimes condition;
  std::string_view name;         // name in scenarios
  std::string_view description;  // the condition in words
  std::string_view missing;      // text for a run without it
};

const std::array<SometimesInfo, kSometimesCount>& sometimes_conditions();
const SometimesInfo& info(Sometimes condition);
std::optional<Sometimes> find_sometimes(std::string_view name);

// The conditions that came true, but for those that single operations show.  Called by Scratch::prepare, when all else
// is gathered.
SometimesMask observe(const History& history, const JudgeOptions& options, Scratch& scratch);

}  // namespace picklock
