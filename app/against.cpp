// Two runs side by side: `picklock run NAME --against VARIANT | SEED | LOCK`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "algorithms/lock.hpp"
#include "app/against.hpp"
#include "base/command_name.hpp"
#include "base/nearest.hpp"
#include "base/shell.hpp"
#include "reports/run/against.hpp"
#include "reports/run/files.hpp"
#include "reports/run/run_page.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

// A side plays a scenario, as edited, on a seed.
struct Side {
  std::string scenario;
  ScenarioEdits edits;
  std::uint64_t seed = 1;
  std::string replay() const {
    return fmt::format("{} run {}{} --seed {}", program_name(), shell_word(scenario), command_words(edits), seed);
  }
};

bool exists(const std::string& scenario) { return load_scenario(scenario).ok(); }

// "paused_holder" of "paused_holder/fenced", if that is a variant.
std::string without_variant(const std::string& scenario) {
  const auto found = find_scenario(scenario);
  const auto* const place = std::get_if<ScenarioPlace>(&found);
  if (place == nullptr || place->variant.empty()) return scenario;
  return scenario.substr(0, scenario.size() - place->variant.size() - 1);
}

// The other run that `word` asks for; an error in words.
std::variant<Side, std::string> other_side(const Side& left, const std::string& word) {
  Side right = left;
  const char* const end = word.data() + word.size();
  if (const auto number = std::from_chars(word.data(), end, right.seed); number.ec == std::errc() && number.ptr == end)
    return right;
  right.seed = left.seed;
  if (const std::string variant = without_variant(left.scenario) + "/" + word; exists(variant)) {
    right.scenario = variant;
    return right;
  }
  if (exists(word)) {
    right.scenario = word;
    return right;
  }
  if (find_lock_kind(word) != nullptr || word.ends_with(".lua")) {
    right.edits.lock = word;
    return right;
  }
  std::vector<std::string> names;
  const std::string variants = without_variant(left.scenario) + "/";
  for (const LibraryEntry& entry : library_scenarios()) {
    names.push_back(entry.name);
    if (entry.name.starts_with(variants)) names.push_back(entry.name.substr(variants.size()));
  }
  for (const LockKind& kind : lock_kinds()) names.emplace_back(kind.name);
  const auto nearest = nearest_name(word, names);
  return fmt::format("--against {}: expected a seed, a variant of {}, a scenario or a lock{}", shell_word(word),
                     without_variant(left.scenario), nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
}

// The run of a side, for a page or not; none: its errors are reported.
std::optional<RunRecord> play(const Side& side, bool page, bool json) {
  ScenarioFile file = load_scenario(side.scenario);
  std::vector<ScenarioError> errors = file.errors;
  EditResult edited;
  if (errors.empty()) {
    edited = edit_scenario(file.scenario, side.edits);
    errors = edited.errors;
  }
  if (errors.empty()) {
    auto compiled = Runner::compile(file.scenario);
    if (auto* const runner = std::get_if<0>(&compiled)) {
      (*runner)->run(side.seed, {.full_trace = page, .bodies = page, .story = true});
      return (*runner)->record();
    }
    errors = located(file, edited.left_out, std::get<1>(compiled));
  }
  report(errors, json);
  return std::nullopt;
}

std::string name_of(const Side& side) { return fmt::format("{}, seed {}", side.scenario, side.seed); }

}  // namespace

int run_against(const RunCommand& command, const TimelineOptions& options) {
  const ScenarioFile file = load_scenario(command.scenario);
  if (!file.ok()) return report(file.errors, command.json);
  const Side left{command.scenario, command.edits, command.seed.value_or(file.seed.value_or(1))};
  const auto other = other_side(left, command.against);
  if (const auto* const problem = std::get_if<std::string>(&other)) {
    fmt::print(stderr, "picklock: {}\n", *problem);
    return kUsage;
  }
  const Side& right = std::get<Side>(other);
  const bool page = !command.html.empty();
  const auto first = play(left, page, command.json);
  if (!first) return kUsage;
  const auto second = play(right, page, command.json);
  if (!second) return kUsage;
  const RunTold one = told(*first, name_of(left), left.replay(), options),
                two = told(*second, name_of(right), right.replay(), options);
  if (page) write_file(command.html, against_page({*first, one}, {*second, two}));
  fmt::print("{}", command.json ? against_json(one, two) : against_text(one, two, options));
  return kAsExpected;
}

}  // namespace picklock
