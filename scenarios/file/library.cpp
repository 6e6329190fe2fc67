#include "scenarios/file/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <cstddef>
#include <optional>

#include "base/nearest.hpp"
#include "scenarios/file/library_files.hpp"

namespace picklock {
namespace {

std::string in_quotes(std::string_view name) {
  const std::string shown = picklock::quoted(name);  // shortened and printable, in single quotes
  return '"' + shown.substr(1, shown.size() - 2) + '"';
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

// "fenced" of "my/own/fenced".
std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string path_in(const std::string& folder, const std::string& file) {
  return folder.ends_with('/') ? folder + file : folder + '/' + file;
}

// Fitness of a scenario's name that has all the words asked for: whether its last part has no others,
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
  return Fit{within(words, words_of(last_part(name))), same.first - asked.begin(),
             -static_cast<std::ptrdiff_t>(has.size())};
}

// The scenario whose name has all of the words, or else the one that is spelled most like it; a path counts as a whole,
// then without its folder.
std::string nearest_scenario(const std::string& asked, const std::vector<LibraryEntry>& all) {
  const std::string stem = asked.ends_with(".toml") ? asked.substr(0, asked.size() - 5) : asked;
  const std::array<std::string, 2> texts = {stem, last_part(stem)};
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

std::string first_line(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

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
  for (const std::string& path : scenario_paths(folder)) {
    const auto text = scenario_text(path);
    if (!text) continue;
    const ScenarioFile file = read_scenario(*text, path);
    all.push_back(
        {file.scenario.name, first_line(file.scenario.description), path, all_tags(file.scenario, file.tags), false});
    for (const ScenarioVariant& v : file.variants)
      all.push_back({v.scenario.name, first_line(v.scenario.description), path, all_tags(v.scenario, v.tags), true});
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
  const std::string path = path_in(folder.value_or(""), name + ".toml");
  const bool is_name = !name.empty() && name.find('/') == std::string::npos;
  if (folder && is_name && is_file(path)) return ScenarioPlace{path, behind};
  ScenarioError error;
  if (is_folder(asked)) {
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

void choose_variant(ScenarioFile& file, const std::string& name) {
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

ScenarioFile load_scenario(std::string_view name_or_path) {
  ScenarioFile file;
  const auto found = find_scenario(name_or_path);
  if (const auto* const error = std::get_if<ScenarioError>(&found)) {
    file.file = name_or_path;
    file.errors.push_back(*error);
    return file;
  }
  const auto& [path, variant] = std::get<ScenarioPlace>(found);
  const auto text = scenario_text(path);
  if (!text) {
    file.file = path;
    file.errors.push_back({path, 0, 0, "cannot be read", {}, {}});
    return file;
  }
  file = read_scenario(*text, path);
  if (!variant.empty() && file.ok()) choose_variant(file, variant);
  return file;
}

}  // namespace picklock
