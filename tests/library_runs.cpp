#include "tests/library_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <variant>

#include "scenarios/file/library.hpp"

namespace picklock {

std::string source_library() { return PICKLOCK_SOURCE_DIR "/scenarios/library"; }

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const LibraryEntry& e : scenarios_in(source_library())) names.push_back(e.name);
  std::sort(names.begin(), names.end());
  return names;
}

Scenario library_scenario(const std::string& name) {
  ScenarioFile file = load_scenario(source_library() + "/" + name);
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return std::move(file.scenario);
}

CampaignResult campaign(const Scenario& scenario, SeedRange seeds, unsigned jobs) {
  CampaignOptions options;
  options.seeds = seeds;
  options.jobs = jobs;
  auto result = run_campaign(scenario, options);
  if (const auto* problems = std::get_if<1>(&result)) {
    for (const ScenarioProblem& p : *problems)
      ADD_FAILURE() << p.where << ": found " << p.found << ", expected " << p.expected;
    return {};
  }
  return std::get<0>(result);
}

std::unique_ptr<Runner> runner_of(const Scenario& scenario) {
  auto compiled = Runner::compile(scenario);
  return std::holds_alternative<std::unique_ptr<Runner>>(compiled) ? std::move(std::get<0>(compiled)) : nullptr;
}

std::string file_content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace picklock
