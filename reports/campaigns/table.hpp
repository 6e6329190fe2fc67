// A campaign as a table, and the lists of what there is.
#pragma once

#include <string>

#include "campaigns/campaign.hpp"

namespace picklock {

// `replay` repeats one seed: the seed's number is appended to it.
std::string campaign_table(const Scenario& scenario, const CampaignResult& result, bool raw, const std::string& replay);

}  // namespace picklock
