#include "app/campaign_commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/examples.hpp"
#include "app/program_options.hpp"
#include "app/scenario_options.hpp"
#include "app/validators.hpp"
#include "base/enum_names.hpp"

namespace picklock {
namespace {

// Words that commas separate.
void add_words(CLI::Option* option) { option->delimiter(',')->take_all()->allow_extra_args(false); }

// What compare and sweep have in common.
void add_grid_options(CLI::App& app, GridWords& grid, std::vector<std::string>& properties, std::string& seeds,
                      unsigned& jobs) {
  app.add_option("scenarios", grid.scenarios, "scenario files, or names of library scenarios and variants")->required();
  add_words(allow_typed_programs(
      app.add_option("--lock", grid.locks, "locks to play: redlock,etcd-mutex (default: the scenario's own)")));
  add_allow_program(app);
  app.add_option(
         "--vary", grid.vary,
         "values to play, path=value,value or path=FROM..TO/STEP: lock.ttl=100ms,300ms, 'fault[0].lasts=2s..9s/1s'")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--set", grid.set, "changes one value for all, path=value")->take_all()->allow_extra_args(false);
  add_words(app.add_option("--property", properties,
                           "properties to judge, such as mutual-exclusion,lost-update (default: mutual-exclusion, and "
                           "what a scenario expects to be violated)")
                ->check(not_a_property));
  app.add_option("--seeds", seeds, "seeds A..B, or a number N of seeds, 1..N (default 1..1000)")->check(not_seeds);
  app.add_option("--jobs", jobs, "threads (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024));
}

Subcommand add_compare(CLI::App& app) {
  const auto asked = std::make_shared<CompareCommand>();
  CLI::App* const sub =
      app.add_subcommand("compare", "plays several locks, options or variants on the same seeds, and compares them");
  sub->footer(std::string(examples::kCompareExamples) + examples::kExitStatus);
  add_grid_options(*sub, asked->grid, asked->properties, asked->seeds, asked->jobs);
  add_words(
      sub->add_option("--also", asked->also,
                      "settings that may differ between the scenarios, beside lock, service and storage: clients"));
  add_stop_options(*sub, asked->until);
  add_kept_options(*sub, asked->kept);
  const auto format = std::make_shared<std::string>("text");
  sub->add_option("--format", *format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return {sub, [asked, format] {
            asked->json = *format == "json";
            return compare(*asked);
          }};
}

}  // namespace

void add_stop_options(CLI::App& app, StopRule& until) {
  app.add_option_function<std::string>(
         "--until-width", [&until](const std::string& text) { until.width = parse_share(text); },
         "stops when the 95 % interval of each share violated is at most so wide, as in 1%; --seeds is then the most "
         "that "
         "is played, in each cell of a sweep")
      ->check(not_a_share);
  app.add_option_function<std::string>(
         "--until-decided", [&until](const std::string& text) { until.bound = parse_claim(text); },
         "stops when this claim about each share violated is confirmed or refuted with 95 %, as in 'P<1e-4'")
      ->check(not_a_claim);
}

void add_kept_options(CLI::App& app, StoreWords& kept) {
  CLI::Option* const store =
      app.add_option("--store", kept.store,
                     "file that keeps results; the same command with the same file goes on where it stopped")
          ->check(empty);
  app.add_flag("--play-again", kept.play_again,
               "plays what the store has again, and compares: a difference is broken determinism")
      ->needs(store);
}

namespace {

void add_store_options(CLI::App& app, SweepCommand& sweep) {
  add_kept_options(app, sweep.kept);
  CLI::Option* const store = app.get_option("--store");
  app.add_option_function<std::string>(
         "--shard", [&sweep](const std::string& text) { sweep.shard = parse_shard(text); },
         "part I of N of the work, as in 3/40, for N machines with a --store each; merge them, then repeat the command")
      ->check(not_a_shard)
      ->needs(store);
  app.add_flag("--by-seed", sweep.by_seed, "keeps the verdict of each seed in the store, a letter for each property")
      ->needs(store);
}

void add_plot_options(CLI::App& app, SweepCommand& sweep) {
  CLI::Option* const plot =
      app.add_option("--plot", sweep.plot,
                     "picture of the first property, .svg, .png or .pdf, drawn by gnuplot; its script (.gp) and its "
                     "data (.dat) stay beside it")
          ->check([](const std::string& text) {
            return is_picture(text) ? "" : "found '" + text + "', expected a file that ends in .svg, .png or .pdf";
          });
  const auto names = kEnumNames<PlotOf>;
  app.add_option_function<std::string>(
         "--plot-of",
         [&sweep, names](const std::string& text) {
           sweep.plot_of = static_cast<PlotOf>(std::find(names.begin(), names.end(), text) - names.begin());
         },
         "shares violated against the first value that varies (default), survival: time to the first violation, or "
         "sizes of violations")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->needs(plot);
}

Subcommand add_sweep(CLI::App& app) {
  const auto asked = std::make_shared<SweepCommand>();
  CLI::App* const sub =
      app.add_subcommand("sweep", "plays a grid of locks and settings, and prints a table of shares, service and cost");
  sub->footer(std::string(examples::kSweepExamples) + examples::kExitStatus);
  add_grid_options(*sub, asked->grid, asked->properties, asked->seeds, asked->jobs);
  add_stop_options(*sub, asked->until);
  add_store_options(*sub, *asked);
  sub->add_option("--format", asked->format, "text, csv (a row for each cell and property) or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  sub->add_option("--out", asked->out, "file for the table (default: standard output)")->check(empty);
  add_plot_options(*sub, *asked);
  return {sub, [asked] { return sweep(*asked); }};
}

void add_method_options(CLI::App& app, EstimateCommand& estimate) {
  const auto names = kEnumNames<EstimateMethod>;
  app.add_option_function<std::string>(
         "--method",
         [&estimate, names](const std::string& text) {
           estimate.method = static_cast<EstimateMethod>(std::find(names.begin(), names.end(), text) - names.begin());
         },
         "auto (default), counting (plain runs), conditional (one draw is integrated over) or splitting (levels)")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
  app.add_option(
         "--draw", estimate.draw,
         "draw to integrate over, as run --out names it: 'world/fault@world#0.2' (default: the one that decides)")
      ->check(empty);
  app.add_option("--plain-runs", estimate.plain_runs, "plain runs that the estimate is held against (default 10000)")
      ->check(CLI::Range(std::uint64_t{100}, std::uint64_t{1} << 40));
  app.add_option("--samples", estimate.samples, "seeds of the conditional method (default 400)")
      ->check(CLI::Range(std::uint64_t{50}, std::uint64_t{1} << 32));
  app.add_option("--trajectories", estimate.trajectories, "trajectories of each stage of splitting (default 1000)")
      ->check(CLI::Range(20u, 1'000'000u));
  app.add_option("--replications", estimate.replications, "independent replications of splitting (default 30)")
      ->check(CLI::Range(30u, 100'000u));
  app.add_option("--estimate-seed", estimate.seed, "seed of the whole estimate (default 1)")->check(not_a_seed);
}

Subcommand add_estimate(CLI::App& app) {
  const auto asked = std::make_shared<EstimateCommand>();
  CLI::App* const sub =
      app.add_subcommand("estimate", "measures how likely a violation is, also where no campaign meets one");
  sub->footer(std::string(examples::kEstimateExamples) + examples::kExitStatus);
  add_scenario_options(*sub, asked->scenario, asked->edits);
  sub->add_option("--property", asked->property, "property whose violation counts (default: mutual-exclusion)")
      ->check(not_a_property);
  add_method_options(*sub, *asked);
  sub->add_option("--recipe", asked->recipe,
                  "file for a run that violates the property: 'picklock run FILE' and 'explain FILE' play it")
      ->check(empty);
  sub->add_option("--jobs", asked->jobs, "threads (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024));
  sub->add_option("--format", asked->format, "text, csv (one row) or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  return {sub, [asked] { return estimate(*asked); }};
}

Subcommand add_merge(CLI::App& app) {
  const auto asked = std::make_shared<MergeCommand>();
  CLI::App* const sub = app.add_subcommand("merge", "joins the stores of several sweeps into one");
  sub->footer(std::string(examples::kMergeExamples) + examples::kExitStatus);
  sub->add_option("stores", asked->stores, "files that sweep --store has written; they stay as they are")->required();
  sub->add_option("--into", asked->into, "file that takes all of their results; it may have some already")
      ->required()
      ->check(empty);
  return {sub, [asked] { return merge(*asked); }};
}

}  // namespace

std::vector<Subcommand> add_campaign_commands(CLI::App& app) {
  return {add_compare(app), add_sweep(app), add_estimate(app), add_merge(app)};
}

}  // namespace picklock
