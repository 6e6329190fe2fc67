#include "scenarios/file/edits.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/nearest.hpp"
#include "base/shell.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {
namespace {

struct Entry {
  std::string_view array;
  std::size_t index = 0;
};

// "fault[1]" as fault and 1.
std::optional<Entry> entry_of(std::string_view path) {
  const std::size_t open = path.find('['), close = path.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  Entry entry{path.substr(0, open)};
  const auto parsed = std::from_chars(path.data() + open + 1, path.data() + close, entry.index);
  if (parsed.ec != std::errc() || parsed.ptr != path.data() + close) return std::nullopt;
  return entry;
}

template <class T>
void erase(std::vector<T>& all, std::string_view array, const LeftOut& left_out) {
  std::size_t index = 0;
  std::erase_if(all, [&](const T&) { return left_out.contains(array, index++); });
}

class Remover {
 public:
  explicit Remover(Scenario& scenario) : scenario_(scenario) {
    for_each_part(scenario, [&](const ScenarioPart& part) {
      if (!part.info.array) return;
      const auto entry = entry_of(part.path);
      add(part.path, *entry);
      if (!part.name.empty()) add(fmt::format("{}.{}", part.info.path, part.name), *entry);
      add(std::string(part.info.path), *entry);
    });
  }

  std::optional<ScenarioError> note(const std::string& path) {
    const auto found = entries_.find(canonical_path(path));
    if (found == entries_.end()) {
      std::vector<std::string> paths;
      for (const auto& [known, entries] : entries_) paths.push_back(known);
      ScenarioError error;
      error.file = fmt::format("--without {}", path);
      error.found = fmt::format("the path {}", quoted(path));
      error.expected =
          paths.empty() ? "a scenario with faults or clients" : fmt::format("one of {}", fmt::join(paths, ", "));
      error.nearest = std::string(nearest_name(path, paths).value_or(""));
      return error;
    }
    for (const auto& [array, index] : found->second) left_out_.add(array, index);
    return std::nullopt;
  }

  LeftOut remove() {
    erase(scenario_.clients, "clients", left_out_);
    erase(scenario_.links, "network.link", left_out_);
    erase(scenario_.clocks, "clock", left_out_);
    erase(scenario_.faults, "fault", left_out_);
    erase(scenario_.overrides, "draw", left_out_);
    erase(scenario_.reseeds, "reseed", left_out_);
    return std::move(left_out_);
  }

 private:
  void add(std::string path, Entry entry) {
    entries_[std::move(path)].emplace_back(std::string(entry.array), entry.index);
  }

  Scenario& scenario_;
  std::map<std::string, std::vector<std::pair<std::string, std::size_t>>> entries_;  // key: any valid path of the entry
  LeftOut left_out_;
};

}  // namespace

bool LeftOut::contains(std::string_view array, std::size_t index) const {
  const auto found = entries_.find(array);
  return found != entries_.end() && found->second.contains(index);
}

std::string LeftOut::as_written(std::string_view path) const {
  const std::string canonical = canonical_path(path);
  const auto entry = entry_of(canonical);
  const auto found = entry ? entries_.find(entry->array) : entries_.end();
  if (found == entries_.end()) return std::string(path);
  std::size_t index = entry->index;
  for (const std::size_t gone : found->second) index += gone <= index;  // visited in ascending order
  return fmt::format("{}[{}]{}", entry->array, index, std::string_view(canonical).substr(canonical.find(']') + 1));
}

EditResult edit_scenario(Scenario& scenario, const ScenarioEdits& edits) {
  EditResult result;
  if (!edits.lock.empty()) {
    if (auto error = set_lock(scenario, edits.lock)) result.errors.push_back(std::move(*error));
  }
  for (const std::string& assignment : edits.set) {
    if (auto error = set_in_scenario(scenario, assignment)) result.errors.push_back(std::move(*error));
  }
  if (edits.without.empty()) return result;
  Remover remover(scenario);
  for (const std::string& path : edits.without) {
    if (auto error = remover.note(path)) result.errors.push_back(std::move(*error));
  }
  result.left_out = remover.remove();
  return result;
}

std::vector<ScenarioError> located(const ScenarioFile& file, const LeftOut& left_out,
                                   const std::vector<ScenarioProblem>& problems) {
  std::vector<ScenarioError> errors;
  for (const ScenarioProblem& p : problems)
    errors.push_back(file.located(left_out.as_written(p.where), p.found, p.expected, p.nearest));
  return errors;
}

std::string command_words(const ScenarioEdits& edits) {
  std::string words;
  if (!edits.lock.empty()) words += " --lock " + shell_word(edits.lock);
  for (const std::string& s : edits.set) words += " --set " + shell_word(s);
  for (const std::string& w : edits.without) words += " --without " + shell_word(w);
  return words;
}

}  // namespace picklock
