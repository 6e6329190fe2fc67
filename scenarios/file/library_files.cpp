#include "scenarios/file/library_files.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

namespace fs = std::filesystem;

bool is_scenario(const fs::path& path) { return path.extension() == ".toml"; }

bool has_scenarios(const std::string& folder) {
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    if (is_scenario(i->path())) return true;
  }
  return false;
}

std::vector<std::string>& added_folders() {
  static std::vector<std::string> folders;
  return folders;
}

}  // namespace

std::optional<std::string> scenario_text(const std::string& path) {
  if (is_folder(path)) return std::nullopt;
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

bool is_file(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> scenario_paths(const std::string& folder) {
  std::vector<fs::path> all;
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    if (is_scenario(i->path())) all.push_back(i->path());
  }
  std::sort(all.begin(), all.end(), [](const fs::path& a, const fs::path& b) { return a.stem() < b.stem(); });
  return {all.begin(), all.end()};
}

std::optional<std::string> library_folder() {
  for (std::string& folder : library_folders()) {
    if (has_scenarios(folder)) return std::move(folder);
  }
  return std::nullopt;
}

void add_library_folder(const std::string& folder) { added_folders().push_back(folder); }

std::vector<std::string> library_folders() {
  if (const char* const own = std::getenv("PICKLOCK_LIBRARY"); own != nullptr && *own != '\0') return {own};
  std::vector<std::string> folders;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) folders.push_back((program.parent_path().parent_path() / "share/picklock/scenarios").string());
  folders.insert(folders.end(), added_folders().begin(), added_folders().end());
#ifdef PICKLOCK_SOURCE_LIBRARY
  folders.emplace_back(PICKLOCK_SOURCE_LIBRARY);
#endif
  return folders;
}

}  // namespace picklock
