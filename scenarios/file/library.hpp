// Scenarios by name: the library, and files.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/file/error.hpp"
#include "scenarios/file/read.hpp"

namespace picklock {

// Where the library is looked for, in this order: $PICKLOCK_LIBRARY, ../share/picklock/scenarios
// from the program's own folder, the source tree.
std::vector<std::string> library_folders();

struct LibraryEntry {
  std::string name;     // "paused_holder"
  std::string summary;  // the first line of its description
  std::string path;
};

// Of the first folder that has any, by name.
std::vector<LibraryEntry> library_scenarios();
std::vector<LibraryEntry> scenarios_in(const std::string& folder);

// The path of a file, or of the library's scenario of that name.
std::variant<std::string, ScenarioError> find_scenario(std::string_view name_or_path);

// Finds and reads.  A file that cannot be read is an error of the result as well.
ScenarioFile load_scenario(std::string_view name_or_path);

}  // namespace picklock
