// The playground beside the command: where it is, links that open it, and runs that a link names.
#pragma once

#include <optional>
#include <string>

#include "app/command.hpp"
#include "app/subcommand.hpp"
#include "scenarios/file/read.hpp"

namespace CLI {
class App;
}

namespace picklock {

Subcommand add_playground_command(CLI::App& app);

// Makes of a command that runs a link one that runs its scenario: the file, edits and seed are the link's, and those that were
// typed beside it. Gives what is wrong with the link, or nothing.
std::optional<std::string> open_link(RunCommand& command, ScenarioFile& file);

// Prints the link of a scenario and a seed. The scenario was read and can be edited so.
int print_link(const RunCommand& command, const ScenarioFile& file, std::uint64_t seed);

}  // namespace picklock
