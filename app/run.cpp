#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/against.hpp"
#include "app/command.hpp"
#include "app/kept.hpp"
#include "app/playground.hpp"
#include "app/playground/link.hpp"
#include "app/progress.hpp"
#include "app/run.hpp"
#include "base/command_name.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"
#include "bridge/real_time.hpp"
#include "reports/campaigns/costs.hpp"
#include "reports/campaigns/table.hpp"
#include "reports/json.hpp"
#include "reports/run/files.hpp"
#include "reports/run/run_page.hpp"
#include "reports/run/scene_perfetto.hpp"
#include "reports/run/scene_svg.hpp"
#include "reports/run/shiviz.hpp"
#include "reports/run/slice.hpp"
#include "reports/run/timeline.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/without_fault.hpp"
#include "statistics/sequential.hpp"

namespace picklock {
namespace {

// The command that repeats a run, up to the seed's number.
std::string replay_command(const RunCommand& c) {
  const char* const clock = programs_run_in_real_time() ? " --clock wall" : "";
  return program_name() + " run " + shell_word(c.scenario) + command_words(c.edits) + clock + " --seed ";
}

// A scenario as its file has it, edited.
struct Edited {
  const ScenarioFile& file;
  const LeftOut& left_out;
};

// The exit status follows from properties, and from how each fits its expectation.
struct Judged {
  std::vector<std::string_view> names;
  std::vector<Fulfilment> results;
  void add(std::string_view name, Fulfilment result) {
    names.push_back(name);
    results.push_back(result);
  }
};

// Says what an exit status other than 0 is due to.
std::string why(int status, const Judged& judged, const RunCommand& command, const std::string& scenario) {
  if (status == kAsExpected) return {};
  const bool raw = !command.edits.lock.empty();
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < judged.names.size(); ++i) {
    const bool decides =
        judged.results[i] == (status == kUndecided ? Fulfilment::undecided : Fulfilment::not_as_expected);
    if (decides) names.push_back(judged.names[i]);
  }
  std::string text = fmt::format("exit status {}: {}: {}\n", status,
                                 status == kUndecided ? "undecided or not tested"
                                 : raw                ? "violated, and --lock makes the verdicts count"
                                                      : "not as expected",
                                 fmt::join(names, ", "));
  const std::string edits = command_words(command.edits);
  if (raw || edits.empty()) return text;
  return text + fmt::format("  {} expects otherwise of its own settings;{} changes them\n", scenario, edits);
}

std::string in_real_time(Duration lateness) {
  return fmt::format("in real time, so that another run may differ; this machine was late by {} at most\n",
                     to_readable(lateness));
}

// The first violation, or that of the property of this name; null: none.
const Finding* violation(const RunResult& result, const std::string& property) {
  for (const Finding& v : result.findings) {
    if (v.verdict == Verdict::violated && (property.empty() || property == info(v.property).name)) return &v;
  }
  return nullptr;
}

// The environment decides: a NO_COLOR that is not empty turns them off (no-color.org), and so does a dumb terminal.
bool shows_colours() {
  const auto value = [](const char* name) {
    const char* const set = std::getenv(name);
    return std::string_view(set == nullptr ? "" : set);
  };
  return value("NO_COLOR").empty() && value("TERM") != "dumb";
}

// Width and colours of the terminal, if there is one.
TimelineOptions options_of(const RunCommand& command) {
  TimelineOptions options;
  options.brief = command.brief;
  options.all = command.all;
  winsize size{};
  const bool on_terminal = ::isatty(STDOUT_FILENO) != 0;
  if (on_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) options.width = size.ws_col;
  if (command.width > 0) options.width = command.width;
  options.colours = on_terminal && shows_colours();
  return options;
}

// True if the property holds, but no fault was what the scenario asks for.  Expectations of the own run stand.
bool is_left_open(const RunResult& result, const Finding& finding, const PropertySummary& s, const Scenario& scenario) {
  const Untested why = table_verdict(result, finding.property).untested;
  const bool stated = s.expectation && scenario.expect.contains(std::string(info(finding.property).name));
  return !stated && s.fulfilment == Fulfilment::as_expected &&
         (why == Untested::fault_cut_off || why == Untested::fault_after_contest);
}

int run_one(const RunCommand& command, const Edited& edited, std::uint64_t seed) {
  const Scenario& scenario = edited.file.scenario;
  auto compiled = Runner::compile(scenario);
  if (const auto* problems = std::get_if<1>(&compiled))
    return report(located(edited.file, edited.left_out, *problems), command.json);
  Runner& runner = *std::get<0>(compiled);
  const bool raw = !command.edits.lock.empty();
  const bool keep = !command.out.empty();
  const RunResult& result =
      runner.run(seed, {.full_trace = keep || command.slice || !command.html.empty() || !command.shiviz.empty(),
                        .draws = keep,
                        .bodies = !command.html.empty(),
                        .story = true});
  const RunRecord& record = runner.record();
  const std::string replay = replay_command(command) + std::to_string(seed);
  const std::vector<IdleFault> idle = idle_faults_of(record, history_without);
  std::optional<SliceStory> slice;
  if (const Finding* const finding = command.slice ? violation(result, command.slice_of) : nullptr) {
    slice = slice_story(record, *finding);
    if (!command.dot.empty()) write_file(command.dot, slice_dot(*slice));
  }
  const std::string json =
      command.json || keep ? run_json(runner.scenario(), result, raw, replay, idle, slice ? &*slice : nullptr) : "";
  const auto told = [&](const TimelineOptions& options) {
    return timeline(record, raw, replay, idle_faults_text(idle), options);
  };
  const std::string story = !command.json || keep ? told({}) : "";
  if (!command.html.empty()) write_file(command.html, run_page(record, verdicts_for_page(record, raw), replay));
  const Scene scene = scene_of(record, faults_struck(record));
  if (!command.svg.empty()) write_file(command.svg, scene_svg(scene));
  if (!command.perfetto.empty()) write_file(command.perfetto, scene_perfetto(scene));
  if (!command.shiviz.empty()) write_file(command.shiviz, shiviz_log(record));
  if (keep) write_run_files(command.out, record, json, story);
  if (!slice && !command.dot.empty())
    fmt::print(stderr, "picklock: --dot: {} is not written, as there is no slice\n", command.dot);
  if (command.slice && !command.json) {
    const std::string none = command.slice_of.empty() ? "nothing is" : command.slice_of + " is not";
    fmt::print("{}, seed {}: {}", runner.scenario().name, seed,
               slice ? slice_text(*slice) : none + " violated in this run, so it has no slice\n");
    fmt::print("again:  {} --slice\n", replay);
  } else {
    fmt::print("{}", command.json ? json : told(options_of(command)));
  }
  Judged judged;
  for (const Finding& v : result.findings) {
    const PropertySummary s = summarize(v, seed, runner.scenario(), raw);
    // `some` and its like speak of many seeds: one run cannot refute them.
    const bool about_many = s.expectation && s.expectation->seeds == Seeds::some;
    if (about_many && s.fulfilment == Fulfilment::not_as_expected) continue;
    if (!s.expectation && (!raw || v.verdict == Verdict::not_applicable)) continue;
    judged.add(info(v.property).name, is_left_open(result, v, s, scenario) ? Fulfilment::undecided : s.fulfilment);
  }
  if (!result.error.empty()) judged.add("the simulation", Fulfilment::not_as_expected);
  // A run to which an expected property does not apply leaves the expectation open.
  if (raw && result.unseen.runs > 0) judged.add("the owner of the lock", Fulfilment::undecided);
  const int status = exit_status(judged.results);
  if (!command.json && result.lateness) fmt::print("{}", in_real_time(*result.lateness));
  if (!command.json) fmt::print("{}", why(status, judged, command, runner.scenario().name));
  return status;
}

// The result of the rule, with intervals that hold at every look.
std::string rule_text(const CampaignResult& result, const CampaignOptions& options) {
  std::string text = result.is_enough ? fmt::format("stopped after {} runs, as the rule was met\n", result.runs)
                                      : fmt::format("{} runs did not meet the rule\n", result.runs);
  for (const PropertySummary& s : result.properties) {
    if (std::find(options.until_of.begin(), options.until_of.end(), s.property) == options.until_of.end()) continue;
    const Tally& tally = s.figures();
    const ShareInterval known = confidence_sequence(tally.count(Verdict::violated), tally.decided());
    text += fmt::format("  {}: {:.4g} % violated ({:.4g} to {:.4g} %, a confidence sequence: 95 % at all looks)\n",
                        info(s.property).name, 100 * tally.share_violated(), 100 * known.low, 100 * known.high);
  }
  return text;
}

int run_many(const RunCommand& command, const Edited& edited, SeedRange seeds) {
  const Scenario& scenario = edited.file.scenario;
  ProgressBar bar;
  CampaignOptions options;
  options.seeds = seeds;
  options.jobs = programs_run_in_real_time() ? 1 : threads_of(command.jobs);
  options.raw = !command.edits.lock.empty();
  options.costs = command.measure;
  options.progress = [&](std::uint64_t done, std::uint64_t all) { bar.show(done, all); };
  const Interruptible interruptible;
  options.stop = &interruptible.stop();
  options.until = command.until;
  options.until_of = properties_of({}, {edited.file});
  std::vector<Property> all;
  for (const PropertyInfo& p : properties()) all.push_back(p.property);
  const Kept kept = kept_results(command.kept, "run", {&scenario}, all);
  options.memory = kept.memory.get();
  auto outcome = run_campaign(scenario, options);
  if (const auto* problems = std::get_if<1>(&outcome))
    return report(located(edited.file, edited.left_out, *problems), command.json);
  const CampaignResult& result = std::get<0>(outcome);
  const std::string replay = replay_command(command);
  const std::string json = campaign_json(scenario, result, options.raw, replay);
  const std::string table = campaign_table(scenario, result, options.raw, replay);
  if (!command.out.empty()) {
    make_folder(command.out);
    write_file(command.out + "/result.json", json);
    write_file(command.out + "/result.txt", table);
  }
  if (result.costs) {
    std::string again = replay_command(command);  // ends in "--seed "
    if (seeds.size() == 1) {
      again += fmt::format("{} --measure", seeds.first);
    } else {
      again.insert(again.size() - 1, "s");
      again += fmt::format("{}..{} --measure", seeds.first, seeds.last);
    }
    fmt::print("{}", command.json ? costs_json(scenario, *result.costs, seeds, again)
                                  : costs_text(scenario, *result.costs, seeds, again));
  } else {
    fmt::print("{}", command.json ? json : table);
    if (!command.json && options.until.any()) fmt::print("{}", rule_text(result, options));
    Judged judged;
    for (const PropertySummary& s : result.properties) judged.add(info(s.property).name, s.fulfilment);
    if (!result.errors.empty()) judged.add("the simulation", Fulfilment::not_as_expected);
    if (options.raw && result.unseen.runs > 0) judged.add("the owner of the lock", Fulfilment::undecided);
    if (result.interrupted) judged.add("the seeds that were not played", Fulfilment::undecided);
    if (!command.json && programs_run_in_real_time()) fmt::print("{}", in_real_time(worst_lateness_in_real_time()));
    if (!command.json) fmt::print("{}", why(result.exit_status(), judged, command, scenario.name));
  }
  return result.exit_status();
}

// Options that are given, of those that shape the text of one run, or write a file of it.
std::vector<std::string_view> given_for_text(const RunCommand& c) {
  std::vector<std::string_view> given;
  if (c.brief) given.emplace_back("--brief");
  if (c.all) given.emplace_back("--all");
  if (c.width > 0) given.emplace_back("--width");
  return given;
}
std::vector<std::string_view> given_for_files(const RunCommand& c) {
  const std::pair<std::string_view, const std::string*> all[] = {
      {"--html", &c.html}, {"--svg", &c.svg}, {"--perfetto", &c.perfetto}, {"--shiviz", &c.shiviz}};
  std::vector<std::string_view> given;
  for (const auto& [option, file] : all) {
    if (!file->empty()) given.push_back(option);
  }
  return given;
}

// An option that would be ignored because of another one, in words; empty: none.
std::string option_without_effect(const RunCommand& command) {
  const std::vector<std::string_view> text = given_for_text(command), files = given_for_files(command);
  const auto without_effect = [](std::string_view option, std::string_view other) {
    return fmt::format("{} has no effect with {}", option, other);
  };
  if (command.brief && command.all) return without_effect("--all", "--brief");
  if (command.json && command.against.empty() && !text.empty()) return without_effect(text.front(), "--format json");
  if (command.slice && !text.empty()) return without_effect(text.front(), "--slice");
  if (command.measure && !text.empty()) return without_effect(text.front(), "--measure");
  if (command.measure && !files.empty()) return without_effect(files.front(), "--measure");
  if (command.link && !command.against.empty()) return without_effect("--against", "--link");
  if (programs_run_in_real_time() && !command.kept.store.empty())
    return "--store keeps runs that can be repeated, and those of --clock wall cannot";
  if (!command.seeds && (!command.kept.store.empty() || command.until.any()))
    return "--store and --until-… have no effect without --seeds";
  if (command.measure && (!command.kept.store.empty() || command.until.any()))
    return "--store and --until-… have no effect with --measure";
  for (const std::string& assignment : command.edits.set) {
    if (!command.edits.lock.empty() && assignment.starts_with("expect."))
      return fmt::format("--set {} has no effect with --lock, which makes the verdicts count", assignment);
  }
  return {};
}

int play(const RunCommand& asked) {
  RunCommand command = asked;
  if (const std::string problem = option_without_effect(command); !problem.empty()) {
    fmt::print(stderr, "picklock: {}\n", problem);
    return kUsage;
  }
  if (!command.against.empty()) return run_against(command, options_of(command));
  ScenarioFile file;
  if (!is_link(command.scenario)) {
    file = load_scenario(command.scenario);
  } else if (const auto wrong = open_link(command, file)) {
    ScenarioError error;
    error.found = "found no link of the playground: " + *wrong;
    return report({error}, command.json);
  }
  if (!file.ok()) return report(file.errors, command.json);
  const EditResult result = edit_scenario(file.scenario, command.edits);
  if (!result.errors.empty()) return report(result.errors, command.json);
  const Edited edited{file, result.left_out};
  const std::uint64_t seed = command.seed.value_or(file.seed.value_or(1));
  if (command.link) return print_link(command, file, seed);
  if (!command.seeds && command.measure) {
    return run_many(command, edited, {seed, seed});
  }
  if (!command.seeds) return run_one(command, edited, seed);
  return run_many(command, edited, *command.seeds);
}

constexpr const char* kRunExamples = R"(
Examples:
  picklock run paused_holder                        one run, as a picture and a story
  picklock run paused_holder/fenced --seeds 1..10000
  picklock run paused_holder --seeds 100            seeds 1 to 100
  picklock run paused_holder --set clients.b.hold=80ms --lock setnx-expire
  picklock run paused_holder --without 'fault[0]'   the same clients, and no pause
  picklock run paused_holder --slice --dot slice.dot
  picklock run paused_holder --against fenced       two runs side by side, and their first difference
  picklock run redlock_clock_jump --brief --svg picture.svg --html run.html
  picklock run paused_holder --seed 17 --out found)";

// One run shows itself as text, picture, page or file; many runs cannot.
void add_picture_options(CLI::App& app, RunCommand& run, CLI::Option* seeds, CLI::Option* slice) {
  app.add_option("--width", run.width,
                 "columns of the output, from 60 to 1000 (default: the terminal's, otherwise 100)")
      ->check(CLI::Range(60, 1'000))
      ->excludes(seeds);
  app.add_flag("--brief", run.brief, "prints the picture and the violations, and no more")
      ->excludes(seeds)
      ->excludes(slice);
  app.add_flag("--all", run.all, "tells every renewal, and every line of a long story")
      ->excludes(seeds)
      ->excludes(slice);
  add_path(app, "--svg", run.svg, "file for the picture, for slides and papers")->excludes(seeds);
  add_path(app, "--html", run.html,
           "file for a page that shows the run in a browser: picture with messages, story, verdicts")
      ->excludes(seeds);
  add_path(app, "--perfetto", run.perfetto, "file of trace events, for ui.perfetto.dev or chrome://tracing")
      ->excludes(seeds);
}

}  // namespace

CommandBody state_run(CLI::App& app) {
  const auto asked = std::make_shared<RunCommand>();
  RunCommand& run = *asked;
  app.footer(with_exit_status(kRunExamples));
  add_scenario_options(app, run.scenario, run.edits);
  CLI::Option* const seed = add_seed(app, run.seed);
  CLI::Option* const seeds =
      add_seeds(app, run.seeds, "seeds A..B, both included, or a number N of seeds, 1..N; prints a table");
  seeds->excludes(seed);
  add_jobs(app, run.jobs, "threads for many runs")->needs(seeds);
  add_format(app, run.json);
  CLI::Option* const slice =
      app.add_flag("--slice", run.slice, "shows only the records that led to the first violation")->excludes(seeds);
  app.add_option("--slice-of", run.slice_of,
                 "property whose violation is shown, such as mutual-exclusion (default: the first violated)")
      ->check(not_a_property)
      ->needs(slice);
  add_path(app, "--dot", run.dot, "writes the slice as a graph for Graphviz")->needs(slice);
  app.add_flag("--measure", run.measure,
               "prints the cost of acquiring (latency, requests, wake-ups) instead of the verdicts")
      ->excludes(slice);
  add_picture_options(app, run, seeds, slice);
  add_stop_options(app, run.until);
  add_kept_options(app, run.kept);
  add_clock(app);
  app.add_flag("--link", run.link, "prints a link that opens the run in the playground, and plays nothing")
      ->excludes(seeds);
  add_path(app, "--shiviz", run.shiviz,
           "file of a log with vector clocks, for ShiViz; its expression: (?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})")
      ->excludes(seeds);
  CLI::Option* const against =
      add_path(app, "--against", run.against,
               "variant, seed or lock (or another scenario) whose run stands beside this one: aligns both stories, "
               "and marks the first difference");
  against->excludes(seeds)->excludes(slice);
  for (const char* const other : {"--measure", "--svg", "--perfetto", "--shiviz"})
    against->excludes(app.get_option(other));
  against->excludes(add_path(app, "--out", run.out, "folder for history (EDN, JSON), trace, draws and result"));
  return [asked] { return play(*asked); };
}

}  // namespace picklock
