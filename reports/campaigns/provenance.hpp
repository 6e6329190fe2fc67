// The origin of figures: a table of a paper names what made it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// The head of a document of figures: its kind, the schema (docs/schema), the version, the compiler.
nlohmann::ordered_json figures(std::string_view kind);

// SHA-1 of the scenario as TOML, in 40 hexadecimal digits: equal for equal scenarios.
std::string scenario_sha1(const Scenario& scenario);

}  // namespace picklock
