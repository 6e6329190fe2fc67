// A scenario with its variants, each played once.
#pragma once

#include <string>
#include <vector>

#include "scenarios/file/read.hpp"
#include "scenarios/run/served.hpp"

namespace picklock {

// One scenario of a file, and what its run of seed 1 violates.
struct ToldScenario {
  std::string name;
  Scenario scenario;
  std::vector<ScenarioVariant::Setting> settings;  // settings of a variant
  std::vector<std::string> violated;               // properties
  std::vector<ClientService> service;              // sections of each client
  std::string error;                               // error of the simulation itself
};

struct Tale {
  ToldScenario told;                   // the scenario that was asked for
  std::vector<ToldScenario> siblings;  // the other scenarios of its file
};

// Plays each of them once.  A problem of one is an error; then the tale is empty.
struct TaleOrErrors {
  Tale tale;
  std::vector<ScenarioError> errors;
};
TaleOrErrors tale_of(const std::string& scenario);

}  // namespace picklock
