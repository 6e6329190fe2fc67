// Looks at a text before it is given to the TOML parser, which trusts what it reads.
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/file/error.hpp"

namespace picklock {

// Text that is too long, not UTF-8, or nested more deeply than any scenario: the parser recurses
// over nested values and, when it frees them, over the parts of dotted keys.
std::optional<ScenarioError> unreadable(std::string_view text, std::string_view file_name);

}  // namespace picklock
