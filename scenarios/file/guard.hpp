// Looks at a text before it is given to the TOML parser, which trusts what it reads.
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/file/error.hpp"

namespace picklock {

// Refuses what the parser would not survive, or would decide on by accident: text that is too long or not
// UTF-8; values and keys nested more deeply than in any scenario, over which it recurses; and, for
// toml++ 3.3, control characters, other than ASCII outside strings, brackets that do not match,
// headers without a name.  None of these is TOML, but for the depth and the length.
std::optional<ScenarioError> unreadable(std::string_view text, std::string_view file_name);

}  // namespace picklock
