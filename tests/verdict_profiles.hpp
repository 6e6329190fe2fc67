// A verdict profile: how a scenario's runs ended, a line for each property that applies to it.
//
//   paused_holder
//     mutual-exclusion  violated 20 of 20
//     double-grant      holds 20 of 20
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "scenarios/campaign/campaign.hpp"

namespace picklock {

// The lines below the name.
std::string verdict_profile(const CampaignResult& result);

// By scenario; lines that begin with '#' are comments.
using VerdictProfiles = std::map<std::string, std::string>;
VerdictProfiles read_verdict_profiles(std::string_view text);
std::string write_verdict_profiles(const VerdictProfiles& profiles);

}  // namespace picklock
