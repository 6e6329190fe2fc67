#include "estimate/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "app/command.hpp"
#include "app/progress.hpp"
#include "base/command_name.hpp"
#include "base/files.hpp"
#include "base/shell.hpp"
#include "scenarios/campaign/keep.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

std::string asked_again(const EstimateCommand& c) {
  std::string text = program_name() + " estimate " + shell_word(c.scenario) + command_words(c.edits);
  if (c.property != "mutual-exclusion") text += " --property " + c.property;
  const EstimateOptions usual;
  if (c.method != usual.method) text += fmt::format(" --method {}", enum_name(c.method));
  if (!c.draw.empty()) text += " --draw " + shell_word(c.draw);
  const auto number = [&](std::string_view option, std::uint64_t value, std::uint64_t otherwise) {
    if (value != otherwise) text += fmt::format(" {} {}", option, value);
  };
  number("--plain-runs", c.plain_runs, usual.plain_runs);
  number("--samples", c.samples, usual.samples);
  number("--trajectories", c.trajectories, usual.trajectories);
  number("--replications", c.replications, usual.replications);
  number("--estimate-seed", c.seed, usual.seed);
  return text;
}

Property property_of(const std::string& name) {
  const auto found =
      std::find_if(properties().begin(), properties().end(), [&](const PropertyInfo& p) { return p.name == name; });
  return found->property;
}

// The rare run as a file that plays it, with the command that does so; false: it cannot be kept.
bool keep_rare(const EstimateCommand& command, const Scenario& scenario, const Estimated& e) {
  if (!e.rare) {
    fmt::print(stderr, "picklock: --recipe: {} is not written, as no run violated {}\n", command.recipe,
               command.property);
    return true;
  }
  KeepOptions keep;
  keep.path = command.recipe;
  keep.properties = {e.property};
  try {
    const KeptRun kept = keep_run(scenario_of(scenario, *e.rare), e.rare->seed, keep);
    std::fflush(stdout);  // whoever reads both gets them one after the other
    fmt::print(stderr, "picklock: wrote {}; {}\n", kept.path, kept.replay);
  } catch (const std::runtime_error& problem) {
    fmt::print(stderr, "picklock: {}\n", problem.what());
    return false;
  }
  return true;
}

}  // namespace

int estimate(const EstimateCommand& command) {
  ScenarioFile file = load_scenario(command.scenario);
  const bool json = command.format == "json";
  if (!file.ok()) return report(file.errors, json);
  const EditResult edited = edit_scenario(file.scenario, command.edits);
  if (!edited.errors.empty()) return report(edited.errors, json);
  const Scenario& scenario = file.scenario;

  ProgressBar bar;
  const Interruptible interruptible;
  EstimateOptions options{.property = property_of(command.property),
                          .method = command.method,
                          .draw = command.draw,
                          .plain_runs = command.plain_runs,
                          .samples = command.samples,
                          .trajectories = command.trajectories,
                          .replications = command.replications,
                          .seed = command.seed,
                          .jobs = threads_of(command.jobs),
                          .redraws_lengths = true,
                          .stop = &interruptible.stop(),
                          .progress = {}};
  options.progress = [&](std::uint64_t done, std::uint64_t all, const char* what) { bar.show(done, all, what); };
  auto outcome = estimate_probability(scenario, options);
  if (const auto* const problems = std::get_if<1>(&outcome)) {
    return report(located(file, edited.left_out, *problems), json);
  }
  const Estimated& e = std::get<0>(outcome);

  EstimateHead head{asked_again(command), ""};
  if (e.rare) {
    Trajectory whole = *e.rare;  // --reseed stands for all reseeds
    whole.recipe.insert(whole.recipe.begin(), scenario.reseeds.begin(), scenario.reseeds.end());
    head.replay = fmt::format("{} run {}{}{} --seed {}", program_name(), shell_word(command.scenario),
                              command_words(command.edits), words_of(whole), whole.seed);
  }
  fmt::print("{}", command.format == "csv" ? estimate_csv(scenario, e)
                   : json                  ? estimate_json(scenario, e, head)
                                           : estimate_text(scenario, e, head));
  if (!command.recipe.empty() && !keep_rare(command, scenario, e)) return kUsage;
  if (!e.error.empty()) return kNotAsExpected;
  return e.stopped || !e.refusal.empty() ? kUndecided : kAsExpected;
}

}  // namespace picklock
