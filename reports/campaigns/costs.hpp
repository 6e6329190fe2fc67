// The cost of acquiring, as text and as JSON.
#pragma once

#include <string>

#include "campaigns/campaign.hpp"

namespace picklock {

// Tells the costs of `runs` runs, the first with this seed.
std::string costs_text(const Scenario& scenario, const Costs& costs, SeedRange seeds, const std::string& replay);
std::string costs_json(const Scenario& scenario, const Costs& costs, SeedRange seeds, const std::string& replay);

}  // namespace picklock
