#include "scenarios/file/syntax_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace picklock {

ScenarioError syntax_error(std::string_view message, SourcePosition at) {
  constexpr std::string_view kIntroduction = "Error while parsing ", kExpected = "expected ", kSaw = ", saw ",
                             kAgain = "cannot redefine existing ", kControl = "unescaped control characters";
  const auto none = std::string_view::npos;
  ScenarioError error;
  error.line = at.line;
  error.column = at.column;
  std::string description(message);
  std::replace(description.begin(), description.end(), '\n', ' ');  // it may quote the file
  std::string_view what = description;
  const std::size_t saw = what.rfind(kSaw), expected = what.rfind(kExpected, saw);
  const std::size_t again = what.find(kAgain), name = what.find('\'', again);
  if (saw != none && expected != none) {
    error.found = what.substr(saw + kSaw.size());
    error.expected = what.substr(expected + kExpected.size(), saw - expected - kExpected.size());
  } else if (again != none && name != none) {
    error.found = fmt::format("once more {}", what.substr(name, what.find('\'', name + 1) - name + 1));
    error.expected = "it only once, in one form";
  } else if (what.find(kControl) != none) {
    error.found = "the end of the line, or a control character";
    error.expected = "the rest of a string";
  } else {
    if (what.starts_with(kIntroduction)) what.remove_prefix(kIntroduction.size());
    error.found = fmt::format("not TOML: {}", what);
  }
  return error;
}

}  // namespace picklock
