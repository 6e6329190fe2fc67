#include <fmt/format.h>

#include <algorithm>

#include "app/command.hpp"
#include "app/progress.hpp"
#include "app/recipes.hpp"
#include "reports/files.hpp"
#include "reports/sweep.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostCells = 10'000;

std::string printed(const SweepCommand& command, const SweepTable& sweep) {
  if (command.format == "csv") return sweep_csv(sweep);
  return command.format == "json" ? sweep_json(sweep) : sweep_text(sweep);
}

}  // namespace

int sweep(const SweepCommand& command) {
  const auto grid = recipes_of(command.grid, kMostCells);
  if (const auto* const wrong = std::get_if<1>(&grid)) {
    fmt::print(stderr, "picklock: {}\n", *wrong);
    return kUsage;
  }
  const bool json = command.format == "json";
  const std::vector<Recipe>& recipes = std::get<0>(grid);
  std::vector<ScenarioFile> files;
  for (const Recipe& r : recipes) {
    files.push_back(prepared(r));
    if (!files.back().ok()) return report(files.back().errors, json);
  }
  const std::vector<Property> properties = properties_of(command.properties, files);

  ProgressBar bar;
  const Interruptible interruptible;
  SeedPlan plan;
  const auto seeds = parse_seeds(command.seeds).value();
  plan.seeds = {seeds.first, seeds.second};
  plan.jobs = threads_of(command.jobs);
  plan.stop = &interruptible.stop();
  SweepTable sweep{.first_seed = seeds.first,
                   .seeds = plan.seeds.size(),
                   .until = command.until,
                   .cells = {},
                   .results = {},
                   .missing = 0};
  for (std::size_t i = 0; i < recipes.size() && !interruptible.stop(); ++i) {
    const Recipe& r = recipes[i];
    plan.progress = [&](std::uint64_t done, std::uint64_t all) {
      bar.show(i * all + done, recipes.size() * all, "runs");
    };
    auto outcome = play_cell(files[i].scenario, plan, properties, command.until);
    if (const auto* const problems = std::get_if<1>(&outcome)) {
      return report(located(files[i], *problems), json);
    }
    sweep.cells.push_back({r.scenario, files[i].scenario.lock.name, r.settings, files[i].scenario, r.replay()});
    sweep.results.push_back(std::get<0>(std::move(outcome)));
  }
  sweep.missing = recipes.size() - sweep.cells.size();
  const std::string text = printed(command, sweep);
  if (command.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(command.out, text);
  }
  const auto any = [&](auto is) { return std::any_of(sweep.results.begin(), sweep.results.end(), is); };
  if (any([](const CellResult& c) { return !c.errors.empty(); })) return kNotAsExpected;
  const bool all_known = !any([&](const CellResult& c) {
    return c.interrupted || !c.is_tested() || (command.until.any() && !c.meets(command.until));
  });
  return all_known && sweep.missing == 0 ? kAsExpected : kUndecided;
}

}  // namespace picklock
