// The grid of compare and sweep: every scenario with every lock and every combination of values.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "checker/properties/properties.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/read.hpp"

namespace picklock {

struct GridWords {
  std::vector<std::string> scenarios;
  std::vector<std::string> locks;  // each makes a recipe of each scenario; empty: the scenario's own
  std::vector<std::string> vary;   // path=value,value,… or path=FROM..TO/STEP: each value makes a recipe
  std::vector<std::string> set;    // path=value, for all
};

struct Recipe {
  std::string scenario;
  std::vector<std::pair<std::string, std::string>> settings;  // varying settings: path and value
  ScenarioEdits edits;
  std::string name() const;    // short name among the others: "redlock lock.ttl=1s"; empty: only its scenario differs
  std::string replay() const;  // the command that repeats one seed, but for the seed's number
};

// Recipes in the order of the words; or the problem with the words.
std::variant<std::vector<Recipe>, std::string> recipes_of(const GridWords& words, std::size_t most);

// The recipe's scenario, edited; its errors are in `errors`.
ScenarioFile prepared(const Recipe& recipe);

// The properties of these names; without any, mutual exclusion and what a scenario expects to be violated.
std::vector<Property> properties_of(const std::vector<std::string>& names, const std::vector<ScenarioFile>& files);

}  // namespace picklock
