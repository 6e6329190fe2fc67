#include "scenarios/file/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/nearest.hpp"

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

bool is_file(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

// "redisson", "fair", "dead" of "redisson_fair/dead".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  std::sort(words.begin(), words.end());
  return words;
}

// How well a scenario's name, which has all the words that were asked for, fits them: whether its last part has no others,
// how far both begin alike, how few words there are.
struct Fit {
  bool whole = false;
  std::ptrdiff_t begin = 0, spare = 0;
  auto operator<=>(const Fit&) const = default;
};

std::optional<Fit> fit(const std::string& asked, const std::string& name) {
  const std::vector<std::string> words = words_of(asked), has = words_of(name);
  const auto within = [](const std::vector<std::string>& all, const std::vector<std::string>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  if (words.empty() || !within(has, words)) return std::nullopt;
  const auto same = std::mismatch(asked.begin(), asked.end(), name.begin(), name.end());
  return Fit{within(words, words_of(fs::path(name).filename().string())), same.first - asked.begin(),
             -static_cast<std::ptrdiff_t>(has.size())};
}

// The scenario whose name has all of the words, or else the one that is spelled most like it; a path counts as a whole,
// then without its folder.
std::string nearest_scenario(const std::string& asked, const std::vector<LibraryEntry>& all) {
  const std::string stem = asked.ends_with(".toml") ? asked.substr(0, asked.size() - 5) : asked;
  const std::array<std::string, 2> texts = {stem, fs::path(stem).filename().string()};
  std::vector<std::string> names;
  for (const LibraryEntry& e : all) names.push_back(e.name);
  for (const std::string& text : texts) {
    const std::string* best = nullptr;
    std::optional<Fit> most;
    for (const std::string& name : names) {
      const auto now = fit(text, name);
      if (!now || (most && *now <= *most)) continue;
      most = now;
      best = &name;
    }
    if (best != nullptr) return *best;
  }
  for (const std::string& text : texts) {
    if (const auto nearest = nearest_name(text, names)) return std::string(*nearest);
  }
  return {};
}

// Puts the variant in the place of the file's scenario.
void choose(ScenarioFile& file, const std::string& name) {
  const std::string family = file.scenario.name;
  std::vector<std::string_view> names;
  for (ScenarioVariant& v : file.variants) {
    names.push_back(v.name);
    if (v.name != name) continue;
    file.scenario = v.scenario;
    file.positions = v.positions;
    file.tags = v.tags;
    return;
  }
  ScenarioError error;
  const auto nearest = nearest_name(name, names);
  if (nearest) error.nearest = fmt::format("{}/{}", family, *nearest);
  error.found = fmt::format("{} has no variant {}{}", family, in_quotes(name),
                            names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")));
  if (nearest) error.found += fmt::format("; did you mean {}?", error.nearest);
  file.errors.push_back(std::move(error));
}

std::string first_line(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

namespace {

std::vector<std::string>& added_folders() {
  static std::vector<std::string> folders;
  return folders;
}

}  // namespace

void add_library_folder(const std::string& folder) { added_folders().push_back(folder); }

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* const own = std::getenv("PICKLOCK_LIBRARY"); own != nullptr && *own != '\0')
    folders.emplace_back(own);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) folders.push_back((program.parent_path().parent_path() / "share/picklock/scenarios").string());
  folders.insert(folders.end(), added_folders().begin(), added_folders().end());
#ifdef PICKLOCK_SOURCE_LIBRARY
  folders.emplace_back(PICKLOCK_SOURCE_LIBRARY);
#endif
  return folders;
}

namespace {

// The service first, then what the file says.
std::vector<std::string> all_tags(const Scenario& scenario, std::vector<std::string> said) {
  const LockKind* const lock = find_lock_kind(scenario.lock.name);
  if (lock != nullptr) said.insert(said.begin(), std::string(lock->service));
  return said;
}

}  // namespace

std::vector<LibraryEntry> scenarios_in(const std::string& folder) {
  std::vector<LibraryEntry> all;
  for (const fs::path& path : scenario_paths(folder)) {
    const auto text = contents(path);
    if (!text) continue;
    const ScenarioFile file = read_scenario(*text, path.string());
    all.push_back({file.scenario.name, first_line(file.scenario.description), path.string(),
                   all_tags(file.scenario, file.tags), false});
    for (const ScenarioVariant& v : file.variants)
      all.push_back(
          {v.scenario.name, first_line(v.scenario.description), path.string(), all_tags(v.scenario, v.tags), true});
  }
  return all;
}

std::vector<LibraryEntry> library_scenarios() {
  const auto folder = library_folder();
  return folder ? scenarios_in(*folder) : std::vector<LibraryEntry>{};
}

std::variant<ScenarioPlace, ScenarioError> find_scenario(std::string_view name_or_path) {
  const std::string asked(name_or_path);
  if (is_file(asked)) return ScenarioPlace{asked, {}};
  // The part behind the last '/' may be a variant, and a path may do without ".toml".
  const std::size_t slash = asked.rfind('/');
  const bool one_word = slash == std::string::npos;
  const std::string before = one_word ? "" : asked.substr(0, slash), behind = one_word ? "" : asked.substr(slash + 1);
  if (!one_word) {
    if (is_file(asked + ".toml")) return ScenarioPlace{asked + ".toml", {}};
    if (is_file(before)) return ScenarioPlace{before, behind};
    if (before.find('/') != std::string::npos && is_file(before + ".toml"))
      return ScenarioPlace{before + ".toml", behind};
  }
  const auto folder = library_folder();
  // One file is looked up by its name; all are read only to say what was probably meant.
  const std::string name = one_word ? asked : before;
  const std::string path = (fs::path(folder.value_or("")) / (name + ".toml")).string();
  const bool is_name = !name.empty() && name.find('/') == std::string::npos;
  if (folder && is_name && is_file(path)) return ScenarioPlace{path, behind};
  ScenarioError error;
  if (std::error_code ignored; fs::is_directory(asked, ignored)) {
    error.found = fmt::format("{} is a folder, and a scenario is one file", in_quotes(asked));
    return error;
  }
  if (!folder) {
    error.found = fmt::format("no file {}, and no library of scenarios in {}", in_quotes(asked),
                              fmt::join(library_folders(), ", "));
    return error;
  }
  const std::string nearest = nearest_scenario(asked, scenarios_in(*folder));
  error.nearest = nearest;
  error.found = fmt::format("no file or scenario {}{} (picklock list scenarios)", in_quotes(asked),
                            nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
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
  const auto& [path, variant] = std::get<ScenarioPlace>(found);
  const auto text = contents(path);
  if (!text) {
    file.file = path;
    file.errors.push_back({path, 0, 0, "cannot be read", {}, {}});
    return file;
  }
  file = read_scenario(*text, path);
  if (!variant.empty() && file.ok()) choose(file, variant);
  return file;
}

}  // namespace picklock
