// Subcommands and options of a command, as the tables of its help and its completion need them.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace picklock {

inline std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Includes arguments that are told by their places.
inline std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

inline bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

}  // namespace picklock
