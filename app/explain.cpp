#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/command.hpp"
#include "app/shared_options.hpp"
#include "base/files.hpp"
#include "base/printable.hpp"
#include "campaigns/campaign.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/explain/explanation.hpp"
#include "instruments/explain/json.hpp"
#include "instruments/explain/text.hpp"
#include "reports/run/run_page.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

struct ExplainCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::optional<std::uint64_t> seed;  // absent: that of the file
  unsigned jobs = 0;                  // 0: one per core
  bool json = false;
  std::string html;  // file for a page of the run, with the explanation; empty: none
};

// Shows on a terminal that runs are being made.
class RunCounter {
 public:
  void show(std::uint64_t runs) {
    constexpr std::uint64_t kBetween = 50;
    if (!on_terminal_ || runs < shown_ + kBetween) return;
    shown_ = runs;
    fmt::print(stderr, "\rexplaining: {} runs ", runs);
    std::fflush(stderr);
  }
  ~RunCounter() {
    if (shown_ > 0) fmt::print(stderr, "\r{:40}\r", "");
  }

 private:
  const bool on_terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::uint64_t shown_ = 0;
};

// Properties that are expected of this scenario and that the run did not decide.
std::vector<std::string> undecided_of(const Observed& seen, const Scenario& scenario) {
  std::vector<std::string> all;
  for (const PropertyInfo& p : properties()) {
    if (seen.of(p.property) != Verdict::undecided || !expected_of(p.property, scenario)) continue;
    all.push_back(fmt::format("{} ({})", p.name, seen.word(p.property)));
  }
  return all;
}

// 0: violations are explained; 1: there is none; 3: there is none, and something expected is undecided.
int explain(const ExplainCommand& command) {
  RunCounter counter;
  Experiments experiments(threads_of(command.jobs), [&](std::uint64_t runs) { counter.show(runs); });
  Trial base{command.scenario, command.edits, command.seed.value_or(1)};
  const ScenarioFile file = experiments.file_of(base);
  if (!file.ok()) return report(file.errors, command.json);
  if (!command.seed) base.seed = file.seed.value_or(1);
  const Observed& seen = experiments.see(base);
  if (!seen.playable) {
    std::vector<ScenarioError> errors = seen.errors;
    if (seen.problems.empty() && seen.errors.empty()) {
      ScenarioError too_long;
      too_long.found =
          fmt::format("its run has more than {} events, too many to repeat it thousands of times", kMostEvents);
      errors.push_back(too_long);
    }
    for (ScenarioError& e : located(file, {}, seen.problems)) errors.push_back(std::move(e));
    return report(errors, command.json);
  }
  const Explanation explanation = explain_trial(experiments, base);
  if (command.json) fmt::print("{}", explanation_json(explanation, experiments));
  if (!command.html.empty()) {
    auto compiled = Runner::compile(file.scenario);
    Runner& runner = *std::get<0>(compiled);
    runner.run(base.seed, {.full_trace = true, .bodies = true, .story = true});
    write_file(command.html,
               run_page(runner.record(),
                        words_for_page(explanation, explanation_text(explanation, experiments, file.scenario.name)),
                        command_of(base)));
  }
  if (!explanation.properties.empty()) {
    if (!command.json)
      fmt::print("{}", printable_lines(explanation_text(explanation, experiments, file.scenario.name)));
    return kAsExpected;
  }
  const std::vector<std::string> open = undecided_of(seen, file.scenario);
  if (!command.json) {
    fmt::print("{}, seed {}: nothing is violated, so there is nothing to explain\n", file.scenario.name, base.seed);
    if (!open.empty()) fmt::print("undecided: {}\n", fmt::join(open, ", "));
    if (!seen.error.empty()) fmt::print("{}\n", seen.error);
    fmt::print("again:  {}\n", command_of(base));
  }
  return open.empty() && seen.error.empty() ? kNotAsExpected : kUndecided;
}

constexpr const char* kExplainExamples = R"(
Examples:
  picklock explain paused_holder
  picklock explain redlock_clock_jump --seed 7
  picklock explain paused_holder --set clients.b.hold=80ms --format json

Exit status: 0 the violations are explained; 1 nothing is violated; 2 usage, bad input, or output that cannot be written;
3 nothing is violated, and something that is expected is undecided or was not tested.)";

}  // namespace

CommandBody state_explain(CLI::App& app) {
  const auto asked = std::make_shared<ExplainCommand>();
  app.footer(kExplainExamples);
  add_scenario_options(app, asked->scenario, asked->edits);
  add_seed(app, asked->seed);
  add_jobs(app, asked->jobs);
  add_path(app, "--html", asked->html, "file for a page that shows the run in a browser, with the explanation");
  add_format(app, asked->json);
  return [asked] { return explain(*asked); };
}

}  // namespace picklock
