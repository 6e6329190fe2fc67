#include "scenarios/file/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/values.hpp"
#include "sim/task/nearest.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

// One byte more than a scenario may have, so that too long a file is seen to be one.
std::optional<std::string> contents(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kMostScenarioBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string first_line(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* const own = std::getenv("PICKLOCK_LIBRARY"); own != nullptr && *own != '\0')
    folders.emplace_back(own);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) folders.push_back((program.parent_path().parent_path() / "share/picklock/scenarios").string());
#ifdef PICKLOCK_SOURCE_LIBRARY
  folders.emplace_back(PICKLOCK_SOURCE_LIBRARY);
#endif
  return folders;
}

std::vector<LibraryEntry> scenarios_in(const std::string& folder) {
  std::vector<LibraryEntry> all;
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    const fs::path& path = i->path();
    if (path.extension() != ".toml") continue;
    const auto text = contents(path);
    if (!text) continue;
    all.push_back({path.stem().string(), first_line(head_comment(*text)), path.string()});
  }
  std::sort(all.begin(), all.end(), [](const LibraryEntry& a, const LibraryEntry& b) { return a.name < b.name; });
  return all;
}

std::vector<LibraryEntry> library_scenarios() {
  for (const std::string& folder : library_folders()) {
    if (auto all = scenarios_in(folder); !all.empty()) return all;
  }
  return {};
}

std::variant<std::string, ScenarioError> find_scenario(std::string_view name_or_path) {
  const std::string asked(name_or_path);
  std::error_code ignored;
  if (!asked.empty() && fs::exists(asked, ignored) && !fs::is_directory(asked, ignored)) return asked;
  const std::vector<LibraryEntry> library = library_scenarios();
  std::vector<std::string_view> names;
  for (const LibraryEntry& entry : library) {
    if (entry.name == asked) return entry.path;
    names.push_back(entry.name);
  }
  // With or without folder and extension, it may be meant to be one of the library.
  const std::string stem = fs::path(asked).stem().string();
  ScenarioError error;
  error.file = asked;
  error.found = "no such file, and no scenario of this name";
  error.expected = library.empty()
                       ? fmt::format("a file (and no library was found in {})", fmt::join(library_folders(), ", "))
                       : "a file, or " + one_of(names);
  if (const auto nearest = nearest_name(stem, names)) error.nearest = *nearest;
  return error;
}

ScenarioFile load_scenario(std::string_view name_or_path) {
  ScenarioFile file;
  const auto found = find_scenario(name_or_path);
  if (const auto* const error = std::get_if<ScenarioError>(&found)) {
    file.file = name_or_path;
    file.errors.push_back(*error);
    return file;
  }
  const std::string& path = std::get<std::string>(found);
  if (const auto text = contents(path)) return read_scenario(*text, path);
  file.file = path;
  file.errors.push_back({path, 0, 0, "cannot be read", {}, {}});
  return file;
}

}  // namespace picklock
