#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/command.hpp"
#include "app/progress.hpp"
#include "base/shell.hpp"
#include "reports/comparison.hpp"
#include "scenarios/file/differences.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostContestants = 26;  // letters of the alphabet

// How one contestant is made.
struct Recipe {
  std::string scenario, name;
  ScenarioEdits edits;
};

struct Variation {
  std::string path;
  std::vector<std::string> values;
};

// "path=value,value,…"
std::optional<Variation> parse_variation(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  Variation v{text.substr(0, equals), {}};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    v.values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool has_empty = std::any_of(v.values.begin(), v.values.end(), [](const std::string& s) { return s.empty(); });
  return has_empty ? std::nullopt : std::optional(v);
}

// Every scenario with every lock and every combination of values.
std::vector<Recipe> recipes_of(const CompareCommand& c, const std::vector<Variation>& variations) {
  std::vector<Recipe> recipes;
  for (const std::string& scenario : c.scenarios)
    recipes.push_back({scenario, c.scenarios.size() > 1 ? scenario : "", {}});
  for (Recipe& r : recipes) r.edits.set = c.set;
  const auto multiply = [&](const std::vector<std::string>& choices, auto apply) {
    if (choices.empty()) return;
    std::vector<Recipe> more;
    for (const Recipe& r : recipes) {
      for (const std::string& choice : choices) {
        if (more.size() > kMostContestants) break;
        apply(more.emplace_back(r), choice);
      }
    }
    recipes = std::move(more);
  };
  const auto add_name = [](Recipe& r, const std::string& word) { r.name += (r.name.empty() ? "" : " ") + word; };
  multiply(c.locks, [&](Recipe& r, const std::string& lock) {
    r.edits.lock = lock;
    add_name(r, lock);
  });
  for (const Variation& v : variations) {
    multiply(v.values, [&](Recipe& r, const std::string& value) {
      r.edits.set.push_back(v.path + "=" + value);
      add_name(r, r.edits.set.back());
    });
  }
  for (Recipe& r : recipes) {
    if (r.name.empty()) r.name = r.scenario;
  }
  return recipes;
}

int refuse(const std::string& what) {
  fmt::print(stderr, "picklock: {}\n", what);
  return kUsage;
}

// Those that the user names; else mutual exclusion, and what a scenario expects to be violated.
std::vector<Property> properties_of(const CompareCommand& command, const std::vector<Contestant>& contestants) {
  const auto asked = [&](std::string_view name) {
    const auto& names = command.properties;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto expected = [&](std::string_view name) {
    return std::any_of(contestants.begin(), contestants.end(), [&](const Contestant& c) {
      const auto found = c.scenario.expect.find(std::string(name));
      return found != c.scenario.expect.end() && found->second.verdict == Verdict::violated;
    });
  };
  std::vector<Property> found;
  for (const PropertyInfo& p : properties()) {
    const bool usual = p.property == Property::mutual_exclusion || expected(p.name);
    if (command.properties.empty() ? usual : asked(p.name)) found.push_back(p.property);
  }
  return found;
}

}  // namespace

int compare(const CompareCommand& command) {
  std::vector<Variation> variations;
  for (const std::string& text : command.vary) {
    const auto variation = parse_variation(text);
    if (!variation) return refuse(fmt::format("--vary: found '{}', expected path=value,value,…", text));
    variations.push_back(*variation);
  }
  const std::vector<Recipe> recipes = recipes_of(command, variations);
  if (recipes.size() < 2) {
    return refuse(
        "compare needs two contestants: several scenarios, --lock with several locks, or --vary with several values");
  }
  if (recipes.size() > kMostContestants) {
    return refuse(fmt::format("compare takes at most {} contestants", kMostContestants));
  }

  std::vector<Contestant> contestants;
  std::vector<ScenarioFile> files;
  std::vector<std::string> replays;
  for (const Recipe& r : recipes) {
    ScenarioFile file = load_scenario(r.scenario);
    if (!file.ok()) return report(file.errors, command.json);
    const EditResult edited = edit_scenario(file.scenario, r.edits);
    if (!edited.errors.empty()) return report(edited.errors, command.json);
    contestants.push_back({r.name, file.scenario});
    files.push_back(std::move(file));
    replays.push_back("picklock run " + shell_word(r.scenario) + command_words(r.edits) + " --seed ");
  }
  for (std::size_t i = 1; i < contestants.size(); ++i) {
    std::vector<std::string> reasons;
    if (recipes[i].scenario != recipes[0].scenario) {
      reasons = reasons_against(contestants[0], contestants[i], command.also);
    } else if (differences(contestants[0].scenario, contestants[i].scenario).empty()) {
      reasons.push_back(fmt::format("{} and {} have the same settings", contestants[0].name, contestants[i].name));
    }
    if (reasons.empty()) continue;
    return refuse(fmt::format(
        "these cannot be compared:\n  {}\nBoth must be in the same situation; --also PATH lets a setting differ",
        fmt::join(reasons, "\n  ")));
  }

  ProgressBar bar;
  const Interruptible interruptible;
  ComparisonOptions options;
  const auto seeds = parse_seeds(command.seeds).value();
  options.seeds = {seeds.first, seeds.second};
  options.jobs = command.jobs != 0 ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
  options.properties = properties_of(command, contestants);
  options.progress = [&](std::uint64_t done, std::uint64_t all) { bar.show(done, all, "seeds"); };
  options.stop = &interruptible.stop();
  auto outcome = run_comparison(contestants, options);
  if (const auto* wrong = std::get_if<1>(&outcome)) {
    std::vector<ScenarioError> errors;
    for (const ScenarioProblem& p : wrong->problems) {
      errors.push_back(files[wrong->contestant].located(p.where, p.found, p.expected, p.nearest));
    }
    return report(errors, command.json);
  }
  const ComparisonResult& result = std::get<0>(outcome);
  fmt::print("{}", command.json ? comparison_json(contestants, result, replays)
                                : comparison_text(contestants, result, replays));
  if (result.has_errors()) return kNotAsExpected;
  return result.interrupted || !result.is_tested() ? kUndecided : kAsExpected;
}

}  // namespace picklock
