#include "scenarios/file/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/nearest.hpp"
#include "scenarios/file/head_comment.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

// At most one byte more than a scenario may have, so that a file that is too long is seen to be so.
std::optional<std::string> contents(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  while (text.size() <= kMostScenarioBytes && in) {
    in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), kMostScenarioBytes + 1 - text.size())));
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return std::nullopt;
  return text;
}

bool is_scenario(const fs::path& path) { return path.extension() == ".toml"; }

bool has_scenarios(const std::string& folder) {
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    if (is_scenario(i->path())) return true;
  }
  return false;
}

// By name.
std::vector<fs::path> scenario_paths(const std::string& folder) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    if (is_scenario(i->path())) all.push_back(i->path());
  }
  std::sort(all.begin(), all.end(), [](const fs::path& a, const fs::path& b) { return a.stem() < b.stem(); });
  return all;
}

// The first of the folders that has scenarios; nothing if none has.
std::optional<std::string> library_folder() {
  for (std::string& folder : library_folders()) {
    if (has_scenarios(folder)) return std::move(folder);
  }
  return std::nullopt;
}

std::string in_quotes(std::string_view name) {
  const std::string shown = picklock::quoted(name);  // shortened and printable, in single quotes
  return '"' + shown.substr(1, shown.size() - 2) + '"';
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
  for (const fs::path& path : scenario_paths(folder)) {
    const auto text = contents(path);
    if (!text) continue;
    all.push_back({path.stem().string(), first_line(head_comment(*text)), path.string()});
  }
  return all;
}

std::vector<LibraryEntry> library_scenarios() {
  const auto folder = library_folder();
  return folder ? scenarios_in(*folder) : std::vector<LibraryEntry>{};
}

std::variant<std::string, ScenarioError> find_scenario(std::string_view name_or_path) {
  const std::string asked(name_or_path);
  std::error_code ignored;
  if (!asked.empty() && fs::exists(asked, ignored) && !fs::is_directory(asked, ignored)) return asked;
  const auto folder = library_folder();
  ScenarioError error;
  if (!folder) {
    error.found = fmt::format("no file {}, and no library of scenarios in {}", in_quotes(asked),
                              fmt::join(library_folders(), ", "));
    return error;
  }
  // One file is looked up by its name; all are listed only to say what was probably meant.
  const bool one_word = !asked.empty() && asked.find('/') == std::string::npos;
  const std::string path = (fs::path(*folder) / (asked + ".toml")).string();
  if (one_word && fs::is_regular_file(path, ignored)) return path;
  // With or without folder and extension, a scenario of the library may be meant.
  std::vector<std::string> names;
  for (const fs::path& one : scenario_paths(*folder)) names.push_back(one.stem().string());
  const auto nearest = nearest_name(fs::path(asked).stem().string(), names);
  error.nearest = nearest.value_or("");
  error.found = fmt::format("no file or scenario {}{} (picklock list scenarios)", in_quotes(asked),
                            nearest ? fmt::format("; did you mean {}?", *nearest) : "");
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
