// Completion in shells, from the command's own tables: commands, options, choices, and names that `picklock list` knows.
//
// Names are asked of the command that is typed, so that a program with locks of its own completes these too.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace picklock
