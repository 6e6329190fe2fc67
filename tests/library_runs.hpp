// The library's scenarios, by name, and their runs: what the tests of the library share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

std::string source_library();                        // of the source tree
std::vector<std::string> library_names();            // sorted; variants as "paused_holder/fenced"
Scenario library_scenario(const std::string& name);  // a test failure for each error in its file
// The result over these seeds; a test failure for each problem of the scenario.
CampaignResult campaign(const Scenario& scenario, SeedRange seeds, unsigned jobs = 1);
std::unique_ptr<Runner> runner_of(const Scenario& scenario);  // null: the scenario has problems
std::string file_content(const std::string& path);            // empty: cannot be read

}  // namespace picklock
