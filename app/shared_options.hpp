// Options that several commands have: each is stated here, once.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/recipes.hpp"
#include "app/validators.hpp"
#include "base/enum_names.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/stop_rule.hpp"
#include "scenarios/file/edits.hpp"

namespace picklock {

// The end of a help: examples of a command, then what its exit status means.
std::string with_exit_status(const char* examples);

// --- kinds of values

// Words that commas separate.
CLI::Option* comma_separated(CLI::Option* option);
// An option that may stand several times, with one value each.
CLI::Option* repeatable(CLI::Option* option);
// A file or folder that the command writes; its name is not empty.
CLI::Option* add_path(CLI::App& app, const char* name, std::string& path, const char* help);
// One of the names of an enumeration.
template <typename E>
CLI::Option* add_enum(CLI::App& app, const char* name, E& value, const char* help) {
  static constexpr auto kNames = kEnumNames<E>;
  const auto choose = [&value](const std::string& text) {
    value = static_cast<E>(std::find(kNames.begin(), kNames.end(), text) - kNames.begin());
  };
  return app.add_option_function<std::string>(name, choose, help)
      ->check(CLI::IsMember(std::vector<std::string>(kNames.begin(), kNames.end())));
}

// --- how a command works

// --jobs: threads; without the option one for each core.
CLI::Option* add_jobs(CLI::App& app, unsigned& jobs, const char* what = "threads");
unsigned threads_of(unsigned jobs);
// --seed of one run.
CLI::Option* add_seed(CLI::App& app, std::optional<std::uint64_t>& seed);
// The seed of a command's own draws.
CLI::Option* add_draws_seed(CLI::App& app, const char* name, std::uint64_t& seed, const char* help);
// --seeds of many runs.
CLI::Option* add_seeds(CLI::App& app, std::optional<SeedRange>& seeds, const char* help);
// --format.
CLI::Option* add_format(CLI::App& app, bool& json);
CLI::Option* add_format(CLI::App& app, std::string& format, const std::vector<std::string>& names, const char* help);
// --until-width and --until-decided.
void add_stop_options(CLI::App& app, StopRule& until);

// The store that keeps results of many runs.
struct StoreWords {
  std::string store;        // file; empty: none
  bool play_again = false;  // plays what the store has, to compare
};
// --store and --play-again; gives --store.
CLI::Option* add_kept_options(CLI::App& app, StoreWords& kept);

// --- what it plays

// --set, --reseed and --without.
void add_edit_options(CLI::App& app, ScenarioEdits& edits);
// The scenario of a run, its lock, and its edits.
void add_scenario_options(CLI::App& app, std::string& scenario, ScenarioEdits& edits);
// Scenarios, locks and values of compare and sweep, with the properties and seeds of each combination.
void add_grid_options(CLI::App& app, GridWords& grid, std::vector<std::string>& properties,
                      std::optional<SeedRange>& seeds, unsigned& jobs);
// A command that is typed as the value of this option may be started: it is a lock that is a program.
CLI::Option* allow_typed_programs(CLI::Option* option);
// --allow-program, for scenario files and kept findings whose lock is a program.
void add_allow_program(CLI::App& app);
// --clock of a lock that is a program.
CLI::Option* add_clock(CLI::App& app);

}  // namespace picklock
