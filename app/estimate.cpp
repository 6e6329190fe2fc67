#include "instruments/estimate/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "app/command.hpp"
#include "app/progress.hpp"
#include "app/shared_options.hpp"
#include "base/command_name.hpp"
#include "base/files.hpp"
#include "base/shell.hpp"
#include "campaigns/keep.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

struct EstimateCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::string property = "mutual-exclusion";
  EstimateMethod method = EstimateMethod::automatic;
  std::string draw;  // empty: the one that decides
  std::uint64_t plain_runs = EstimateOptions().plain_runs, samples = EstimateOptions().samples;
  std::uint32_t trajectories = EstimateOptions().trajectories, replications = EstimateOptions().replications;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
  std::string format = "text";  // text, csv, json
  std::string recipe;           // file for the rare run; empty: none
};

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
    std::fflush(stdout);  // a reader of both streams gets them in this order
    fmt::print(stderr, "picklock: wrote {}; {}\n", kept.path, kept.replay);
  } catch (const std::runtime_error& problem) {
    fmt::print(stderr, "picklock: {}\n", problem.what());
    return false;
  }
  return true;
}

// 1: an error of the simulation; 3: nothing is estimated, for the reason that is printed.
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

constexpr const char* kEstimateExamples = R"(
Examples:
  picklock estimate paused_holder --set 'fault[0].lasts=exp(5ms, cap 2s)'
  picklock estimate my.toml --property lost-update --recipe rare.toml
  picklock estimate my.toml --method splitting --trajectories 5000 --format json

Exit status 3: nothing is estimated, for the reason that is printed.)";

void add_method_options(CLI::App& app, EstimateCommand& estimate) {
  add_enum(app, "--method", estimate.method,
           "auto (default), counting (plain runs), conditional (one draw is integrated over) or splitting (levels)");
  add_path(app, "--draw", estimate.draw,
           "draw to integrate over, as run --out names it: 'world/fault@world#0.2' (default: the one that decides)");
  app.add_option("--plain-runs", estimate.plain_runs, "plain runs that the estimate is held against (default 10000)")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{1} << 40));
  app.add_option("--samples", estimate.samples, "seeds of the conditional method (default 400)")
      ->check(CLI::Range(std::uint64_t{50}, std::uint64_t{1} << 32));
  app.add_option("--trajectories", estimate.trajectories, "trajectories of each stage of splitting (default 1000)")
      ->check(CLI::Range(20u, 1'000'000u));
  app.add_option("--replications", estimate.replications, "independent replications of splitting (default 30)")
      ->check(CLI::Range(30u, 100'000u));
  add_draws_seed(app, "--estimate-seed", estimate.seed, "seed of the whole estimate (default 1)");
}

}  // namespace

CommandBody state_estimate(CLI::App& app) {
  const auto asked = std::make_shared<EstimateCommand>();
  app.footer(with_exit_status(kEstimateExamples));
  add_scenario_options(app, asked->scenario, asked->edits);
  app.add_option("--property", asked->property, "property whose violation counts (default: mutual-exclusion)")
      ->check(not_a_property);
  add_method_options(app, *asked);
  add_path(app, "--recipe", asked->recipe,
           "file for a run that violates the property: 'picklock run FILE' and 'explain FILE' play it");
  add_jobs(app, asked->jobs);
  add_format(app, asked->format, {"text", "csv", "json"}, "text, csv (one row) or json");
  return [asked] { return estimate(*asked); };
}

}  // namespace picklock
