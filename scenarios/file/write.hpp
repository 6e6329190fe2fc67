// Writes a scenario as TOML that reads back equal.
#pragma once

#include <string>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// The description as the comment at the head; what is as it would be anyway is left out.  The name
// is the file's own.
std::string write_scenario(const Scenario& scenario);

// `text` as a TOML string, with its quotes and escapes.
std::string toml_string(std::string_view text);

}  // namespace picklock
