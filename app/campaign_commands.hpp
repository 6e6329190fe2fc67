// The subcommands that play many seeds for figures: compare, sweep, merge.
#pragma once

#include <vector>

#include "app/command.hpp"
#include "app/subcommand.hpp"

namespace picklock {

// --until-width and --until-decided.
void add_stop_options(CLI::App& app, StopRule& until);
// --store and --play-again.
void add_kept_options(CLI::App& app, StoreWords& kept);

std::vector<Subcommand> add_campaign_commands(CLI::App& app);

}  // namespace picklock
