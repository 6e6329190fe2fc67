// A command of `picklock`: its words, its options, and what it does with them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/error.hpp"

namespace CLI {
class App;
}

namespace picklock {

// Exit status of every command.
inline constexpr int kAsExpected = 0, kNotAsExpected = 1, kUsage = 2, kUndecided = 3;

// Does the work of a command whose options are parsed, and gives the exit status.
using CommandBody = std::function<int()>;

struct Command {
  std::string_view name, summary;
  // States the options, with examples. The action owns what they fill.
  CommandBody (*state)(CLI::App& app);
};

// One function for each command, in the file of its name.
CommandBody state_check(CLI::App& app);
CommandBody state_compare(CLI::App& app);
CommandBody state_describe(CLI::App& app);
CommandBody state_envelope(CLI::App& app);
CommandBody state_estimate(CLI::App& app);
CommandBody state_explain(CLI::App& app);
CommandBody state_export(CLI::App& app);
CommandBody state_hunt(CLI::App& app);
CommandBody state_list(CLI::App& app);
CommandBody state_merge(CLI::App& app);
CommandBody state_new_lock(CLI::App& app);
CommandBody state_playground(CLI::App& app);
CommandBody state_regress(CLI::App& app);
CommandBody state_run(CLI::App& app);
CommandBody state_sweep(CLI::App& app);
CommandBody state_tell(CLI::App& app);
CommandBody state_tour(CLI::App& app);

// The whole program with the options of every command, to be described and not to be parsed.
std::unique_ptr<CLI::App> app_to_describe();

// Prints what is wrong with a scenario; gives the exit status.
int report(const std::vector<ScenarioError>& errors, bool json);

}  // namespace picklock
