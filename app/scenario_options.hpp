// Options that say which scenario is meant, and what is to be changed in it.
#pragma once

#include <string>

#include "scenarios/file/edits.hpp"

namespace CLI {
class App;
}

namespace picklock {

void add_edit_options(CLI::App& app, ScenarioEdits& edits);
// The scenario of a run, its lock, and its edits.
void add_scenario_options(CLI::App& app, std::string& scenario, ScenarioEdits& edits);

}  // namespace picklock
