// The files of the library of scenarios. A program without a file system has others that answer (app/playground/wasi/).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace picklock {

// Reads at most one byte more than a scenario may have, so that a file that is too long is seen to be so; nothing: it
// cannot be read.
std::optional<std::string> scenario_text(const std::string& path);
bool is_file(const std::string& path);
bool is_folder(const std::string& path);
// Paths of the scenarios in a folder, by name.
std::vector<std::string> scenario_paths(const std::string& folder);
// The first of library_folders() that has scenarios; empty if none has.
std::optional<std::string> library_folder();

}  // namespace picklock
