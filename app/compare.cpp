#include <fmt/format.h>

#include <algorithm>

#include "app/command.hpp"
#include "app/kept.hpp"
#include "app/progress.hpp"
#include "app/shared_options.hpp"
#include "reports/campaigns/comparison.hpp"
#include "scenarios/file/differences.hpp"

namespace picklock {
namespace {

struct CompareCommand {
  GridWords grid;
  std::vector<std::string> also;  // paths that may differ between scenarios
  std::vector<std::string>
      properties;  // names; empty: all that the lock claims, and what a scenario expects to be violated
  std::optional<SeedRange> seeds;
  unsigned jobs = 0;  // 0: one per core
  bool json = false;
  StopRule until;  // the rule that ends each contestant's seeds
  StoreWords kept;
};

constexpr std::size_t kMostContestants = 26;  // letters of the alphabet

int refuse(const std::string& what) {
  fmt::print(stderr, "picklock: {}\n", what);
  return kUsage;
}

// Reasons why the contestant cannot be compared with the first, a sentence each; empty: it can.
std::vector<std::string> reasons(const Contestant& first, const Contestant& other, bool same_file,
                                 const std::vector<std::string>& also) {
  if (!same_file) return reasons_against(first, other, also);
  if (!differences(first.scenario, other.scenario).empty()) return {};
  return {fmt::format("{} and {} have the same settings", first.name, other.name)};
}

int compare(const CompareCommand& command) {
  const auto grid = recipes_of(command.grid, kMostContestants);
  if (const auto* const wrong = std::get_if<1>(&grid)) return refuse(*wrong);
  const std::vector<Recipe>& recipes = std::get<0>(grid);
  if (recipes.size() < 2) {
    return refuse(
        "compare needs two contestants: several scenarios, --lock with several locks, or --vary with several values");
  }
  std::vector<Contestant> contestants;
  std::vector<ScenarioFile> files;
  std::vector<std::string> replays;
  for (const Recipe& r : recipes) {
    files.push_back(prepared(r));
    if (!files.back().ok()) return report(files.back().errors, command.json);
    std::string name = r.name();
    if (name.empty() || command.grid.scenarios.size() > 1) name = r.scenario + (name.empty() ? "" : " ") + name;
    contestants.push_back({std::move(name), files.back().scenario});
    replays.push_back(r.replay());
  }
  for (std::size_t i = 1; i < contestants.size(); ++i) {
    const std::vector<std::string> against =
        reasons(contestants[0], contestants[i], recipes[i].scenario == recipes[0].scenario, command.also);
    if (against.empty()) continue;
    return refuse(fmt::format(
        "these cannot be compared:\n  {}\nBoth must be in the same situation; --also PATH lets a setting differ",
        fmt::join(against, "\n  ")));
  }

  ProgressBar bar;
  const Interruptible interruptible;
  SeedPlan plan;
  plan.seeds = command.seeds.value();
  plan.jobs = threads_of(command.jobs);
  plan.progress = [&](std::uint64_t done, std::uint64_t all) { bar.show(done, all, "seeds"); };
  plan.stop = &interruptible.stop();
  const std::vector<Property> properties = properties_of(command.properties, files);
  std::vector<const Scenario*> scenarios;
  for (const Contestant& c : contestants) scenarios.push_back(&c.scenario);
  const Kept kept = kept_results(command.kept, "compare", scenarios, properties);
  auto outcome = run_comparison(contestants, plan, properties, command.until, kept.memory.get());
  if (const auto* const wrong = std::get_if<1>(&outcome)) {
    return report(located(files[wrong->contestant], {}, wrong->problems), command.json);
  }
  const ComparisonResult& result = std::get<0>(outcome);
  fmt::print("{}", command.json ? comparison_json(contestants, result, replays)
                                : comparison_text(contestants, result, replays));
  if (result.has_errors()) return kNotAsExpected;
  const bool decided = !command.until.any() || result.is_enough;
  return result.interrupted || !decided || !result.is_tested() ? kUndecided : kAsExpected;
}

constexpr const char* kCompareExamples = R"(
Examples:
  picklock compare paused_holder paused_holder/fenced
  picklock compare healthy_control --lock set-nx-px,redlock,zookeeper-lock --seeds 2000
  picklock compare paused_holder --vary lock.ttl=100ms,300ms,1s
  picklock compare paused_holder --lock redisson-lock --vary lock.release=3.16.8,4.7

The first contestant is the one that the others are held against. Exit status 3: a property was not tested.)";

}  // namespace

CommandBody state_compare(CLI::App& app) {
  const auto asked = std::make_shared<CompareCommand>();
  app.footer(with_exit_status(kCompareExamples));
  add_grid_options(app, asked->grid, asked->properties, asked->seeds, asked->jobs);
  comma_separated(
      app.add_option("--also", asked->also,
                     "settings that may differ between the scenarios, beside lock, service and storage: clients"));
  add_stop_options(app, asked->until);
  add_kept_options(app, asked->kept);
  add_format(app, asked->json);
  return [asked] { return compare(*asked); };
}

}  // namespace picklock
