#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/command.hpp"
#include "app/plot.hpp"
#include "app/progress.hpp"
#include "app/shared_options.hpp"
#include "campaigns/ranks/follow.hpp"
#include "campaigns/ranks/lead.hpp"
#include "campaigns/store/store.hpp"
#include "reports/campaigns/sweep.hpp"
#include "reports/run/files.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

struct SweepCommand {
  GridWords grid;
  std::vector<std::string> properties;  // property names, written as for compare
  std::optional<SeedRange> seeds;
  unsigned jobs = 0;
  StopRule until;               // the rule that ends each cell's seeds
  std::string format = "text";  // text, csv, json
  std::string out;              // file; empty: standard output
  std::string plot;             // file of a picture; empty: none
  PlotOf plot_of = PlotOf::shares;
  StoreWords kept;
  std::optional<Shard> shard;  // requires a store
  bool by_seed = false;        // requires a store: keeps the verdict of each seed
};

constexpr std::size_t kMostCells = 10'000;

// The cells of a grid, with what each needs to be played.
class Grid {
 public:
  Grid(const SweepCommand& command, std::vector<Recipe> recipes, std::vector<ScenarioFile> files)
      : command_(command), recipes_(std::move(recipes)), files_(std::move(files)) {
    properties_ = properties_of(command.properties, files_);
    plan_.seeds = command.seeds.value();
    plan_.jobs = threads_of(command.jobs);
    plan_.stop = &interruptible_.stop();
    plan_.by_seed = command.by_seed;
    const Ranks* const ranks = ranks_of_this_process();
    if (!command.kept.store.empty() && (ranks == nullptr || ranks->rank() == 0))
      store_ = std::make_unique<Store>(command.kept.store, Store::Open::or_create);
  }

  std::size_t cells() const { return recipes_.size(); }
  const SeedRange& seeds() const { return plan_.seeds; }
  bool stopped() const { return interruptible_.stop(); }
  Cell cell(std::size_t i) const {
    return {recipes_[i].scenario, files_[i].scenario.lock.name, recipes_[i].settings, files_[i].scenario,
            recipes_[i].replay()};
  }

  OrProblems<CellResult> play(std::size_t i) {
    auto memory = memory_of(i);
    if (auto* const problems = std::get_if<1>(&memory)) return std::move(*problems);
    return play_cell(files_[i].scenario, plan_of(i), properties_, command_.until, std::get<0>(memory).get());
  }
  OrProblems<ShardResult> play_shard(std::size_t i, const Shard& shard) {
    auto memory = memory_of(i);
    if (auto* const problems = std::get_if<1>(&memory)) return std::move(*problems);
    return picklock::play_shard(files_[i].scenario, plan_of(i), properties_, shard, i, *std::get<0>(memory));
  }
  // The cells that were begun, played by all ranks.
  LedSweep lead(Ranks& ranks) {
    LeadOptions options;
    options.plan = plan_;
    options.plan.progress = [this](std::uint64_t done, std::uint64_t all) { bar_.show(done, all, "runs"); };
    options.until = command_.until;
    if (store_ != nullptr) {
      options.memory = [this](std::uint64_t cell, std::uint64_t behaviour) { return memory_of(cell, behaviour); };
      options.save = [this] { store_->commit(); };
    }
    return picklock::lead(ranks, shared(), options);
  }
  void follow(Ranks& ranks) { picklock::follow(ranks, shared(), {.threads = plan_.jobs, .stop = plan_.stop}); }
  int report_problems(std::size_t i, const std::vector<ScenarioProblem>& problems) const {
    return report(located(files_[i], {}, problems), command_.format == "json");
  }

 private:
  SeedPlan plan_of(std::size_t i) {
    SeedPlan plan = plan_;
    plan.progress = [this, i](std::uint64_t done, std::uint64_t all) {
      bar_.show(i * all + done, cells() * all, "runs");
    };
    return plan;
  }
  // Null without a store.
  OrProblems<std::unique_ptr<ChunkMemory>> memory_of(std::size_t i) {
    if (store_ == nullptr) return std::unique_ptr<ChunkMemory>();
    const Scenario& scenario = files_[i].scenario;
    auto behaviour = behaviour_of(scenario, properties_);
    if (auto* const problems = std::get_if<1>(&behaviour)) return std::move(*problems);
    return memory_of(i, std::get<0>(behaviour));
  }
  std::unique_ptr<ChunkMemory> memory_of(std::size_t i, std::uint64_t behaviour) {
    const Scenario& scenario = files_[i].scenario;
    return store_->cell({command_.by_seed ? "sweep by seed" : "sweep", write_scenario(scenario), scenario.lock.name,
                         properties_, behaviour},
                        command_.kept.play_again);
  }
  const SharedCells& shared() {
    shared_.properties = properties_;
    shared_.by_seed = command_.by_seed;
    if (shared_.scenarios.empty()) {
      for (const ScenarioFile& file : files_) shared_.scenarios.push_back(&file.scenario);
    }
    return shared_;
  }

  const SweepCommand& command_;
  std::vector<Recipe> recipes_;
  std::vector<ScenarioFile> files_;
  std::vector<Property> properties_;
  SharedCells shared_;
  SeedPlan plan_;
  std::unique_ptr<Store> store_;
  ProgressBar bar_;
  Interruptible interruptible_;
};

std::string printed(const SweepCommand& command, const SweepTable& sweep) {
  if (command.format == "csv") return sweep_csv(sweep);
  return command.format == "json" ? sweep_json(sweep) : sweep_text(sweep);
}

// Results of the cells that were begun; or the exit status after a report of problems.
std::variant<std::vector<CellResult>, int> played(Grid& grid) {
  if (Ranks* const ranks = ranks_of_this_process()) {
    LedSweep led = grid.lead(*ranks);
    const auto& [cell, problems] = led.problems;
    if (!problems.empty()) return grid.report_problems(cell, problems);
    return std::move(led.results);
  }
  std::vector<CellResult> results;
  for (std::size_t i = 0; i < grid.cells() && !grid.stopped(); ++i) {
    auto outcome = grid.play(i);
    if (const auto* const problems = std::get_if<1>(&outcome)) return grid.report_problems(i, *problems);
    results.push_back(std::get<0>(std::move(outcome)));
  }
  return results;
}

int whole(const SweepCommand& command, Grid& grid) {
  SweepTable sweep{.first_seed = grid.seeds().first,
                   .seeds = grid.seeds().size(),
                   .until = command.until,
                   .cells = {},
                   .results = {},
                   .missing = 0};
  auto results = played(grid);
  if (const int* const status = std::get_if<int>(&results)) return *status;
  sweep.results = std::get<0>(std::move(results));
  for (std::size_t i = 0; i < sweep.results.size(); ++i) sweep.cells.push_back(grid.cell(i));
  sweep.missing = grid.cells() - sweep.cells.size();
  const std::string text = printed(command, sweep);
  if (command.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(command.out, text);
  }
  const bool drawn = command.plot.empty() || draw_plot(sweep, command.plot_of, command.plot);
  const auto any = [&](auto is) { return std::any_of(sweep.results.begin(), sweep.results.end(), is); };
  if (!drawn) return kUsage;
  if (any([](const CellResult& c) { return !c.errors.empty(); })) return kNotAsExpected;
  const bool all_known = !any([&](const CellResult& c) {
    return c.interrupted || !c.is_tested() || (command.until.any() && !c.meets(command.until));
  });
  return all_known && sweep.missing == 0 ? kAsExpected : kUndecided;
}

int one_shard(const SweepCommand& command, Grid& grid) {
  const Shard& shard = *command.shard;
  ShardResult all;
  bool finished = true;
  for (std::size_t i = 0; i < grid.cells() && finished; ++i) {
    auto outcome = grid.play_shard(i, shard);
    if (const auto* const problems = std::get_if<1>(&outcome)) return grid.report_problems(i, *problems);
    const ShardResult& one = std::get<0>(outcome);
    for (const auto& [seed, error] : one.errors) {
      fmt::print("{}{}: {}\n", grid.cell(i).replay, seed, error);
    }
    finished = one.passed == grid.seeds().size();
    all.add(one);
  }
  fmt::print("shard {} of {}: {} chunks with {} runs are in {}{}\n", shard.number, shard.of, all.chunks, all.seeds,
             command.kept.store, finished ? "" : "; interrupted: the same command goes on");
  if (!all.errors.empty()) return kNotAsExpected;
  return finished ? kAsExpected : kUndecided;
}

int sweep(const SweepCommand& command) {
  if (command.shard && command.until.any()) {
    fmt::print(stderr, "picklock: --shard cannot be used with --until-…, which has to see all seeds of a cell\n");
    return kUsage;
  }
  Ranks* const ranks = ranks_of_this_process();
  if (command.shard && ranks != nullptr) {
    fmt::print(stderr, "picklock: --shard cannot be used under mpirun, whose ranks share the work already\n");
    return kUsage;
  }
  auto recipes = recipes_of(command.grid, kMostCells);
  if (const auto* const wrong = std::get_if<1>(&recipes)) {
    fmt::print(stderr, "picklock: {}\n", *wrong);
    return kUsage;
  }
  std::vector<ScenarioFile> files;
  for (const Recipe& r : std::get<0>(recipes)) {
    files.push_back(prepared(r));
    if (!files.back().ok()) return report(files.back().errors, command.format == "json");
  }
  try {
    Grid grid(command, std::get<0>(std::move(recipes)), std::move(files));
    if (ranks != nullptr && ranks->rank() > 0) {
      grid.follow(*ranks);
      return kAsExpected;
    }
    return command.shard ? one_shard(command, grid) : whole(command, grid);
  } catch (const BrokenDeterminism& broken) {
    fmt::print(stderr, "picklock: {}\n", broken.what());
    return kNotAsExpected;
  }
}

constexpr const char* kSweepExamples = R"(
Examples:
  picklock sweep paused_holder --vary lock.ttl=100ms..400ms/50ms
  picklock sweep paused_holder --lock set-nx-px,redlock --vary 'fault[0].lasts=50ms,200ms,1s' --format csv --out sweep.csv
  picklock sweep paused_holder/fenced --property lost-update --seeds 1000000 --until-decided 'P<1e-3'
  picklock sweep paused_holder --seeds 1000000 --store results.sqlite
  picklock sweep paused_holder --vary lock.ttl=240ms..250ms/1ms --plot shares.svg

Exit status 3: a cell tested nothing or did not meet the rule of --until-…, or the sweep was interrupted.)";

void add_store_options(CLI::App& app, SweepCommand& sweep) {
  CLI::Option* const store = add_kept_options(app, sweep.kept);
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
  add_enum(app, "--plot-of", sweep.plot_of,
           "shares violated against the first value that varies (default), survival: time to the first violation, or "
           "sizes of violations")
      ->needs(plot);
}

}  // namespace

CommandBody state_sweep(CLI::App& app) {
  const auto asked = std::make_shared<SweepCommand>();
  app.footer(with_exit_status(kSweepExamples));
  add_grid_options(app, asked->grid, asked->properties, asked->seeds, asked->jobs);
  add_stop_options(app, asked->until);
  add_store_options(app, *asked);
  add_format(app, asked->format, {"text", "csv", "json"}, "text, csv (a row for each cell and property) or json");
  add_path(app, "--out", asked->out, "file for the table (default: standard output)");
  add_plot_options(app, *asked);
  return [asked] { return sweep(*asked); };
}

}  // namespace picklock
