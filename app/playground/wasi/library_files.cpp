// The library of scenarios where there is no file system: the texts that the module was built with.
#include "scenarios/file/library_files.hpp"

#include <string_view>

#include "base/embedded_file.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {

std::span<const EmbeddedFile> embedded_scenarios();

namespace {

constexpr std::string_view kFolder = "library/";

const EmbeddedFile* find_embedded(const std::string& path) {
  if (!path.starts_with(kFolder)) return nullptr;
  for (const EmbeddedFile& file : embedded_scenarios()) {
    if (file.name == std::string_view(path).substr(kFolder.size())) return &file;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> scenario_text(const std::string& path) {
  const EmbeddedFile* const file = find_embedded(path);
  return file != nullptr ? std::optional<std::string>(file->text) : std::nullopt;
}

bool is_file(const std::string& path) { return find_embedded(path) != nullptr; }

bool is_folder(const std::string& path) { return path == kFolder; }

std::vector<std::string> scenario_paths(const std::string&) {
  std::vector<std::string> all;
  for (const EmbeddedFile& file : embedded_scenarios()) all.push_back(std::string(kFolder) + std::string(file.name));
  return all;
}

std::optional<std::string> library_folder() { return std::string(kFolder); }

std::vector<std::string> library_folders() { return {std::string(kFolder)}; }

void add_library_folder(const std::string&) {}

}  // namespace picklock
