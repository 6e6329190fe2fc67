// An executable style guide: code that the deterministic rooms may not contain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::style {

struct Rule {
  std::string_view name;
  std::string_view why;
  std::string_view pattern;  // ECMAScript, over code without comments and literals
  std::string_view planted;  // must be found
  std::string_view allowed;  // must not
};

struct Finding {
  int line = 0;
  std::string rule, text;
};

const std::vector<Rule>& rules();

// The same text with comments blanked and the contents of literals taken out; lines stay where they are.
std::string code_only(std::string_view source);

std::vector<Finding> find_violations(std::string_view source);

}  // namespace picklock::style
