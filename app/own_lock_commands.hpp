// The subcommands for learners and for owners of a lock.
#pragma once

#include <vector>

#include "app/subcommand.hpp"

namespace picklock {

std::vector<Subcommand> add_own_lock_commands(CLI::App& app);

}  // namespace picklock
