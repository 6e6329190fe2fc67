// The subcommands that play many seeds for figures: compare, sweep, merge.
#pragma once

#include <vector>

#include "app/subcommand.hpp"

namespace picklock {

std::vector<Subcommand> add_campaign_commands(CLI::App& app);

}  // namespace picklock
