#include "campaigns/keep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <variant>

#include "base/command_name.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/shell.hpp"
#include "campaigns/campaign.hpp"
#include "faults/struck.hpp"
#include "scenarios/file/hash.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

[[noreturn]] void cannot_keep(std::uint64_t seed, const std::string& why) {
  throw std::runtime_error(fmt::format("the run of seed {} cannot be kept: {}", seed, why));
}

std::unique_ptr<Runner> compiled(const Scenario& scenario, std::uint64_t seed) {
  auto made = Runner::compile(scenario);
  if (const auto* const problems = std::get_if<1>(&made)) {
    const ScenarioProblem& p = problems->front();
    cannot_keep(seed, fmt::format("{}: found {}, expected {}", p.where, p.found, p.expected));
  }
  return std::move(std::get<0>(made));
}

bool is_violated(const RunResult& r, Property p) { return of(r.findings, p).verdict == Verdict::violated; }

// The violated ones among the properties that count.
std::vector<Property> violated_in(const RunResult& result, const Scenario& scenario, const KeepOptions& options) {
  std::vector<Property> promised, all;
  for (const PropertyInfo& p : properties()) {
    if (!is_violated(result, p.property)) continue;
    const auto& asked = options.properties;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), p.property) == asked.end()) continue;
    all.push_back(p.property);
    const auto expected = expected_of(p.property, scenario);
    if (expected && expected->verdict == Verdict::holds && expected->seeds == Seeds::every)
      promised.push_back(p.property);
  }
  return promised.empty() || !options.properties.empty() ? all : promised;
}

// The run's violations are expected, and no more: a property that is undecided, or violated beside, may be anything.
void expect_what_happens(Scenario& scenario, const RunResult& result, const std::vector<Property>& violated) {
  scenario.expect.clear();
  for (const PropertyInfo& p : properties()) {
    const bool kept = std::find(violated.begin(), violated.end(), p.property) != violated.end();
    const bool holds = of(result.findings, p.property).verdict == Verdict::holds;
    if (kept) {
      scenario.expect[std::string(p.name)] = {Verdict::violated, Seeds::every};
    } else if (!holds && expected_of(p.property, scenario)) {
      scenario.expect[std::string(p.name)] = {Verdict::holds, Seeds::any};
    }
  }
}

// The scenario without the faults that struck nothing, if it then violates the same.
Scenario without_idle_faults(const Scenario& scenario, std::uint64_t seed, const std::vector<Property>& violated) {
  const auto runner = compiled(scenario, seed);
  runner->run(seed);
  const std::vector<Strike> strikes = strikes_of(runner->record().journal(), scenario.faults.size());
  Scenario less = scenario;
  less.faults.clear();
  for (std::size_t i = 0; i < strikes.size(); ++i) {
    if (strikes[i] == Strike::injected) less.faults.push_back(scenario.faults[i]);
  }
  if (less.faults.size() == scenario.faults.size()) return scenario;
  const auto again = compiled(less, seed);
  const RunResult& result = again->run(seed);
  const bool same = std::all_of(violated.begin(), violated.end(), [&](Property p) { return is_violated(result, p); });
  return same ? less : scenario;
}

std::string file_name(const Scenario& scenario, std::uint64_t seed, Property property) {
  std::string name =
      fmt::format("{}_{}_{:08x}", scenario.lock.name, info(property).name, mix(scenario_hash(scenario), seed) >> 32);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (!plain) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  return name;
}

std::string comment(const Scenario& scenario, const KeptRun& kept, const KeepOptions& options) {
  const auto runner = compiled(scenario, kept.seed);
  const RunResult& result = runner->run(kept.seed, {.story = true});
  std::vector<std::string_view> names;
  for (const Property p : kept.violated) names.push_back(info(p).name);
  std::string text = fmt::format("The lock {} violates {} in the run of seed {}.\n\n", scenario.lock.name,
                                 fmt::join(names, ", "), kept.seed);
  for (const Property p : kept.violated) {
    text += fmt::format("{}: {}\n", info(p).name, explain(of(result.findings, p), *result.history, result.judged_with));
  }
  if (options.story) text += "\n" + options.story(runner->record());
  while (text.ends_with('\n')) text.pop_back();
  return text + fmt::format("\n\nagain:  {}", kept.replay);
}

// The line `seed = 17` stands below the comment, above all tables.
std::string text_of(const Scenario& scenario, std::uint64_t seed) {
  std::string text = write_scenario(scenario);
  const std::size_t end = text.find("\n\n");
  text.insert(end + 2, fmt::format("seed = {}\n", seed));
  return text;
}

}  // namespace

KeptRun kept_run(const Scenario& scenario, std::uint64_t seed, const KeepOptions& options) {
  if (seed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    cannot_keep(seed, "a file's seed is at most 9223372036854775807");
  KeptRun kept;
  kept.seed = seed;
  {
    const auto runner = compiled(scenario, seed);
    kept.violated = violated_in(runner->run(seed), scenario, options);
  }
  if (kept.violated.empty()) cannot_keep(seed, "it violates none of the properties that count");

  Scenario& s = kept.scenario = without_idle_faults(scenario, seed, kept.violated);
  const auto runner = compiled(s, seed);
  const RunResult& result = runner->run(seed);
  const std::uint64_t digest = result.digest;
  expect_what_happens(s, result, kept.violated);
  s.name = file_name(s, seed, kept.violated.front());
  kept.path = (options.folder.empty() ? "" : options.folder + "/") + s.name + ".toml";
  if (kept.path.starts_with("./")) kept.path.erase(0, 2);
  if (!options.path.empty()) kept.path = options.path;
  const std::string program = options.program.empty() ? program_name() : shell_word(options.program);
  kept.replay = fmt::format("{} run {} --seed {}", program, shell_word(kept.path), seed);
  s.description = comment(s, kept, options);
  kept.text = text_of(s, seed);

  ScenarioFile read = read_scenario(kept.text, kept.path);
  if (!read.ok()) cannot_keep(seed, "its file does not read back: " + print(read.errors.front()));
  const auto again = compiled(read.scenario, seed);
  if (read.seed != seed || again->run(seed).digest != digest)
    cannot_keep(seed, "its file, read back, plays another run");
  kept.scenario = std::move(read.scenario);
  return kept;
}

KeptRun keep_run(const Scenario& scenario, std::uint64_t seed, const KeepOptions& options) {
  KeptRun kept = kept_run(scenario, seed, options);
  if (options.path.empty() && !options.folder.empty()) make_folder(options.folder);
  write_file(kept.path, kept.text);
  return kept;
}

}  // namespace picklock
