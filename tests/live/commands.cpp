#include "tests/live/commands.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"

namespace picklock::live {

std::string command_line(const Command& command) {
  std::string line = fmt::format("picklock run {} --seeds 1..{}", command.scenario, command.runs);
  if (*command.lock != '\0') line += fmt::format(" --lock {}", command.lock);
  for (const char* set : command.settings) line += fmt::format(" --set {}", set);
  return line;
}

CampaignResult play(const Command& command, bool costs) {
  ScenarioFile file = load_scenario(fmt::format("{}/scenarios/library/{}.toml", PICKLOCK_SOURCE_DIR, command.scenario));
  if (!file.ok()) throw std::runtime_error(print(file.errors.front()));
  const auto demand = [](const std::optional<ScenarioError>& error) {
    if (error) throw std::runtime_error(print(*error));
  };
  if (*command.lock != '\0') demand(set_lock(file.scenario, command.lock));
  for (const char* set : command.settings) demand(set_in_scenario(file.scenario, set));
  CampaignOptions options;
  options.seeds = {1, command.runs};
  options.costs = costs;
  auto result = run_campaign(file.scenario, options);
  if (std::holds_alternative<std::vector<ScenarioProblem>>(result)) throw std::runtime_error(command.scenario);
  return std::move(std::get<0>(result));
}

}  // namespace picklock::live
