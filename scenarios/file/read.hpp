// Reads a scenario from TOML, and says all that is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/error.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

inline constexpr std::size_t kMostScenarioBytes = 1u << 20;

struct ScenarioFile {
  std::string file;
  Scenario scenario;                  // every option filled in; incomplete if there are errors
  ScenarioPositions positions;        // of what the file says
  std::vector<ScenarioError> errors;  // in the order of the file, all of them

  bool ok() const { return errors.empty(); }
  // A problem that was found later, in the scenario rather than in its text, at the path of what it
  // is about ("faults[0].on").
  ScenarioError located(std::string_view path, std::string found, std::string expected, std::string nearest = {}) const;
};

// Ends for every text whatever, in an amount of memory and stack in proportion to its size.
ScenarioFile read_scenario(std::string_view text, std::string_view file_name);

}  // namespace picklock
