// Scenarios by name: the library, and files.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenarios/file/error.hpp"
#include "scenarios/file/read.hpp"

namespace picklock {

// The library is looked for in $PICKLOCK_LIBRARY alone, if that is set; otherwise, in this order, in
// ../share/picklock/scenarios from the program's own folder, the folders that were added, the source tree.
std::vector<std::string> library_folders();
// Call it at the start of main, before any scenario is read.
void add_library_folder(const std::string& folder);

struct LibraryEntry {
  std::string name;               // "paused_holder", or "paused_holder/fenced" of a variant
  std::string summary;            // the first line of its description
  std::string path;               // path of the file
  std::vector<std::string> tags;  // the service that its lock asks, and those of the file
  bool variant = false;
};

// Scenarios of the first folder that has any: by name, each followed by its variants in the order of its file.
std::vector<LibraryEntry> library_scenarios();
std::vector<LibraryEntry> scenarios_in(const std::string& folder);

struct ScenarioPlace {
  std::string path;
  std::string variant;  // name of the variant; empty: none
  bool operator==(const ScenarioPlace&) const = default;
};

// A file, or the library's scenario of that name; with a variant behind a '/': "paused_holder/fenced",
// "my/own.toml/fenced", "my/own/fenced".
std::variant<ScenarioPlace, ScenarioError> find_scenario(std::string_view name_or_path);

// Finds and reads.  Of a variant the result's scenario, positions and tags are the variant's.  A file that cannot be
// read is an error of the result as well.
ScenarioFile load_scenario(std::string_view name_or_path);

// Puts the variant of this name in the place of the file's scenario; an error of the file if there is none.
void choose_variant(ScenarioFile& file, const std::string& name);

}  // namespace picklock
