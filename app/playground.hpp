// Links of the playground: runs that they name, and links that open a run.
#pragma once

#include <optional>
#include <string>

#include "app/run.hpp"
#include "scenarios/file/read.hpp"

namespace picklock {

// Makes of a command that runs a link one that runs its scenario: the file, edits and seed are the link's, and those that were
// typed beside it. Gives what is wrong with the link, or nothing.
std::optional<std::string> open_link(RunCommand& command, ScenarioFile& file);

// Prints the link of a scenario and a seed. The scenario was read and can be edited so.
int print_link(const RunCommand& command, const ScenarioFile& file, std::uint64_t seed);

}  // namespace picklock
