// A verdict profile: how a scenario's runs ended, in one line that names what does not hold in all of them.
//
//   paused_holder: violated mutual-exclusion lost-update | undecided wrong-renewal | holds 7 violated 13 stale-write
//
// A property that is not named holds in every run. Three properties concern few locks (tokens, queues, seats): they are named where they
// hold, and do not apply where they are not named. For the others it is the other way round: "without" names them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "campaigns/campaign.hpp"

namespace picklock {

// What stands behind the scenario's name. Two campaigns of as many runs have the same only if each verdict is as frequent in both.
std::string verdict_profile(const CampaignResult& result);

// By scenario; lines that begin with '#' are comments.
using VerdictProfiles = std::map<std::string, std::string>;
VerdictProfiles read_verdict_profiles(std::string_view text);
std::string write_verdict_profiles(const VerdictProfiles& profiles);

}  // namespace picklock
