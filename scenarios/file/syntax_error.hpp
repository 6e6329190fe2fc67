// Errors of the TOML parser, in our own order.
#pragma once

#include <string_view>

#include "scenarios/file/error.hpp"

namespace picklock {

// "Error while parsing key-value pair: expected '=', saw 'x'": found 'x', expected '='.
ScenarioError syntax_error(std::string_view message, SourcePosition at);

}  // namespace picklock
