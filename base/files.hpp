// Files that are written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

// Replaces `path` by `content` in one step.  Throws std::runtime_error, with the path and the reason.
void write_file(const std::string& path, std::string_view content);

// Creates the folder, and those above it, if it is not there.  Throws std::runtime_error if it cannot.
void make_folder(const std::string& path);

}  // namespace picklock
