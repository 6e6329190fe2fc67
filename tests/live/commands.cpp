#include "tests/live/commands.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"

namespace picklock::live {

namespace {

// As a shell takes it for one word.
std::string quoted(std::string_view word) {
  const bool plain = word.find_first_of(" |") == std::string_view::npos;
  return plain ? std::string(word) : fmt::format("'{}'", word);
}

}  // namespace

std::string command_line(const Command& command) {
  std::string line = fmt::format("picklock run {} --seeds 1..{}", command.scenario, command.runs);
  if (*command.lock != '\0') line += fmt::format(" --lock {}", command.lock);
  for (const char* set : command.settings) line += fmt::format(" --set {}", quoted(set));
  return line;
}

CampaignResult play(const Command& command, bool costs) {
  ScenarioFile file = load_scenario(fmt::format("{}/scenarios/library/{}", PICKLOCK_SOURCE_DIR, command.scenario));
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

std::string ms(std::int64_t ns) {
  const std::int64_t h = (ns + 5'000) / 10'000;
  return fmt::format("{}.{:02}", h / 100, h % 100);
}

std::string each(std::uint64_t n, std::uint64_t of) {
  const std::uint64_t hundredths = of == 0 ? 0 : (n * 100 + of / 2) / of;
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

}  // namespace picklock::live
