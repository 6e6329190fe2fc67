// picklock: under which faults does this distributed lock let two clients in?

#include "app/main.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>

#include "app/campaign_commands.hpp"
#include "app/command.hpp"
#include "app/examples.hpp"
#include "app/own_lock_commands.hpp"
#include "app/playground_commands.hpp"
#include "app/program_options.hpp"
#include "app/scenario_options.hpp"
#include "app/validators.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "envelope/hazards.hpp"

namespace {

using namespace picklock::examples;
using picklock::empty, picklock::not_a_fault, picklock::not_a_property, picklock::not_a_seed,
    picklock::not_an_assumption, picklock::not_an_event, picklock::not_instants, picklock::not_seeds;

std::string footer(const char* examples) { return std::string(examples) + kExitStatus; }

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

// The one that differs least, be it ever so much: there are few commands.
std::string nearest_of_all(const std::string& word, const std::vector<std::string>& names) {
  if (const auto near = picklock::nearest_name(word, names)) return std::string(*near);
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return picklock::edit_distance(word, a) < picklock::edit_distance(word, b);
  });
}

// Nothing that is typed is a command.
int no_command(const CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> names = commands_of(app);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  if (argc < 2) {
    std::fprintf(stderr, "picklock: found no command, expected a command: %s\n", all.c_str());
  } else {
    std::fprintf(stderr, "picklock: found '%s', expected a command: %s; did you mean '%s'?\n", argv[1], all.c_str(),
                 nearest_of_all(argv[1], names).c_str());
  }
  std::fprintf(stderr, "picklock: see 'picklock --help'\n");
  return picklock::kUsage;
}

// Names the nearest thing that exists to what was mistyped.
int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (app.get_subcommands().empty() && (argc < 2 || argv[1][0] != '-')) return no_command(app, argc, argv);
  std::fprintf(stderr, "picklock: %s\n", error.what());
  std::vector<std::string> known = commands_of(app);
  for (const CLI::App* sub : app.get_subcommands()) {
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word(argv[i]);
    const bool is_known = std::find(known.begin(), known.end(), word.substr(0, word.find('='))) != known.end();
    if (is_known || word.rfind("--", 0) != 0) continue;
    const std::vector<std::string_view> views(known.begin(), known.end());
    if (const auto nearest = picklock::nearest_name(word, views)) {
      std::fprintf(stderr, "picklock: did you mean '%.*s'?\n", static_cast<int>(nearest->size()), nearest->data());
    }
    break;
  }
  std::fprintf(stderr, "picklock: see 'picklock %s--help'\n",
               app.get_subcommands().empty() ? "" : (app.get_subcommands()[0]->get_name() + " ").c_str());
  return picklock::kUsage;
}

// Whether all that was written has reached standard output.
int finished(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  std::fprintf(stderr, "picklock: standard output cannot be written\n");
  return picklock::kUsage;
}

// Where a history comes from, and what its words mean.
void add_history_options(CLI::App& app, picklock::HistoryInput& input) {
  std::string forms;
  std::vector<std::string> names;
  for (const picklock::FormatInfo& f : picklock::formats()) {
    forms += (forms.empty() ? "" : "; ") + std::string(f.name) + ": " + std::string(f.description);
    names.emplace_back(f.name);
  }
  const auto list = [](CLI::Option* option) { option->delimiter(',')->take_all()->allow_extra_args(false); };
  const std::string kHistory = "the history";
  const std::string kForeign = "a history with words of its own";
  app.add_option("history", input.file, "history file, packed by gzip or not; - for standard input")->required();
  app.add_option("--input", input.format, "format of the history (default: recognised by content). " + forms)
      ->check(CLI::IsMember(names))
      ->group(kHistory);
  list(app.add_option("--map", input.map, "renames functions: lock=acquire,unlock=release")->group(kForeign));
  list(app.add_option("--key", input.keys, "renames keys of records: op=f,ts=time")->group(kForeign));
  list(app.add_option("--type", input.types, "renames types of records: start=invoke,end=ok")->group(kForeign));
  CLI::Option* const lock_field = app.add_option(
      "--lock-field", input.lock_field,
      "field that names the lock, if there are several. Every --…-field is a key of the record or of the map in its "
      ":value, or a path: value.fence, value.0; a lock that is found in :value leaves it");
  lock_field->group(kForeign);
  app.add_flag(
         "--independent", input.independent,
         "reads each client's :value as [key value], as Jepsen's independent tests write it, and judges each key on "
         "its own")
      ->excludes(lock_field)
      ->group(kForeign);
  app.add_flag("--numbers-in-texts", input.numbers_in_texts,
               "reads texts of digits in :value as numbers, such as \"475\", which Redis answers where 475 was written")
      ->group(kForeign);
  app.add_option("--owner-field", input.owner_field,
                 "field that names the owner of the lock, if that is not the process")
      ->group(kForeign);
  app.add_option("--token-field", input.token_field, "field that holds the fencing token")->group(kForeign);
  app.add_option("--process-field", input.process_field,
                 "field that names the client, as any text, instead of a number in :process")
      ->group(kForeign);
  app.add_option("--refused", input.refused, "value that marks an ok as refused: --refused false")
      ->take_all()
      ->allow_extra_args(false)
      ->group(kForeign);
  list(app.add_option("--instant", input.instants,
                      "functions whose records are whole operations, one line each: acquired=acquire,released=release,"
                      "denied=acquire:fail")
           ->group(kForeign));
  app.add_option("--time-unit", input.time_unit,
                 "unit of :time: ns, us, ms or s (default ns; texts may also be ISO 8601 times)")
      ->check(CLI::IsMember({"ns", "us", "ms", "s"}))
      ->group(kForeign);
  app.add_option(
         "--end-field", input.end_field,
         "field with the time at which an operation ended, where each record is a whole operation that began at "
         ":time; implies --sort time")
      ->group(kForeign);
  app.add_option("--skew", input.skew,
                 "how far the clocks of several hosts may be off, such as 5ms: each time is as good as that, to both "
                 "sides, and operations that lie closer count as concurrent; implies --sort time")
      ->group(kForeign);
  app.add_option("--sort", input.sort, "time: puts events in the order of their times, as merged logs need it")
      ->check(CLI::IsMember({"time"}))
      ->group(kForeign);
}

// Words that commas separate.
void words(CLI::Option* option) { option->delimiter(',')->take_all()->allow_extra_args(false); }

void add_hunt_options(CLI::App& app, picklock::HuntCommand& hunt) {
  app.add_option("scenario", hunt.scenario,
                 "scenario whose clients, lock and servers are hunted; its own faults are left out (default, with "
                 "--lock: healthy_control)");
  picklock::allow_typed_programs(
      app.add_option("--lock", hunt.edits.lock, "lock to hunt instead of the scenario's own")->check(empty));
  picklock::add_allow_program(app);
  picklock::add_edit_options(app, hunt.edits);
  words(app.add_option("--property", hunt.properties,
                       "properties whose violation counts, such as mutual-exclusion,lost-update (default: all "
                       "that the lock claims, where it promises it)")
            ->check(not_a_property));
  CLI::Option* const within = app.add_flag("--within-assumptions", hunt.within_assumptions,
                                           "counts only failures that break no assumption of the lock");
  app.add_option("--beyond", hunt.beyond,
                 "assumption that may be broken, such as pauses-shorter-than: counts only failures that break it alone")
      ->check(not_an_assumption)
      ->excludes(within);
  CLI::Option* const against =
      app.add_option("--against", hunt.against,
                     "scenario or variant in which the same plan must do no harm: counts only what tells the two apart")
          ->check(empty);
  app.add_option("--against-set", hunt.against_set,
                 "setting, path=value, of a twin in which the same plan must do no harm: lock.release=4.7")
      ->take_all()
      ->allow_extra_args(false)
      ->excludes(against);
  app.add_option(
         "--strategy", hunt.strategy,
         "many (7 to 12 faults a plan, the default), some (up to 6), few (1 or 2), portfolio (many, some and "
         "few in turn), near (around plans that came close), order (priorities over deliveries), recipes (close "
         "plans with other draws from some instant on), exhaustive (every single fault of a grid, then pairs)")
      ->check(CLI::IsMember({"portfolio", "many", "some", "few", "near", "order", "recipes", "exhaustive"}));
  words(app.add_option("--faults", hunt.kinds, "kinds of faults to draw, such as pause,partition (default: all)")
            ->check(not_a_fault));
  words(app.add_option(
               "--events", hunt.events,
               "events and verbs that faults wait for, such as enters,writes; none: instants alone (default: all that "
               "clients pass)")
            ->check(not_an_event));
  app.add_option(
         "--instants", hunt.instants,
         "range of true time in which faults come that wait for no event, FROM..UNTIL, as in 1s..2s (default: any)")
      ->check(not_instants);
  app.add_option("--most-faults", hunt.most_faults, "largest number of faults in a plan, from 1 to 40 (default 12)")
      ->check(CLI::Range(1, 40));
  words(app.add_option("--vary", hunt.vary,
                       "draws these anew for each plan, beside faults: clients, options, servers, network (default: "
                       "clients with --lock, --within-assumptions and no scenario, otherwise none)")
            ->check(CLI::IsMember({"clients", "options", "servers", "network"})));
  app.add_option("--plans", hunt.plans, "plans to play (default 2000; with --seconds: no bound)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  app.add_option("--seconds", hunt.seconds, "time after which no further round of plans is begun (default: no bound)")
      ->check(CLI::Range(0.001, 1e7));
  app.add_option("--findings", hunt.findings, "distinct findings after which the hunt ends (default 20)")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--shrink-runs", hunt.shrink_runs, "most runs for shrinking one failure (default 400)")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--hunt-seed", hunt.hunt_seed, "seed of the plans (default 1)")->check(not_a_seed);
  app.add_option("--jobs", hunt.jobs, "threads (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024));
  app.add_option("--store", hunt.store, "store, as of picklock sweep, that keeps each finding as soon as it is found")
      ->check(empty);
  app.add_option("--out", hunt.out, "folder in which each finding is kept as a scenario file, as soon as it is found")
      ->check(empty);
}

void add_envelope_options(CLI::App& app, picklock::EnvelopeCommand& envelope) {
  std::vector<std::string> names;
  std::string all;
  for (const picklock::Hazard& h : picklock::hazards()) {
    names.emplace_back(h.name);
    all += (all.empty() ? "" : ", ") + std::string(h.name);
  }
  app.add_option("locks", envelope.locks, "locks to measure, with their default options (default: all)");
  words(app.add_option("--hazard", envelope.hazards, "hazards to measure (default: all): " + all)
            ->check(CLI::IsMember(names)));
  app.add_option("--seeds", envelope.seeds, "seeds 1..N, each with its own smallest magnitude (default 20)")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--jobs", envelope.jobs, "threads (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024));
  app.add_option("--svg", envelope.svg, "file for a picture of the envelopes")->check(empty);
}

// What a command does, with an answer for what goes wrong in it.
template <typename Command>
int guarded(Command command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "picklock: the machine has no more memory: undecided\n");
    return picklock::kUndecided;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "picklock: %s\n", picklock::printable_lines(error.what()).c_str());
  }
  return picklock::kUsage;
}

void add_check_options(CLI::App& app, picklock::CheckCommand& check, std::string& format) {
  app.footer(footer(kCheckExamples));
  add_history_options(app, check.history);
  app.add_option("--model", check.model, "lock model, see 'picklock list models' (default mutex)");
  app.add_option(
      "--initial", check.initial,
      "first state of the model: value of a register (0), values by key ({x 0, y 0}), or permits of a "
      "semaphore that are free at first (0 to N); unknown, for registers, maps and mutexes, if the history begins in "
      "the middle; default nil, all permits, and free");
  app.add_option("--timeout", check.timeout_s,
                 "time limit in seconds, from 0 to 1000000 (default 60; 0: none); when it is over, the verdict is "
                 "undecided (exit status 3)")
      ->check([](const std::string& text) {  // CLI::Range lets nan pass
        double seconds = 0;
        const bool number = CLI::detail::lexical_cast(text, seconds);
        return number && seconds >= 0 && seconds <= 1e6 ? ""
                                                        : "found '" + text + "', expected seconds from 0 to 1000000";
      });
  app.add_option("--html", check.html, "writes the history and its contradiction as a page for the browser");
  app.add_option("--dot", check.dot, "writes the contradiction as a graph for Graphviz");
  app.add_option("--memory", check.memory_mb,
                 "memory limit in megabytes, for names, models and searches (default 2000; 0: none); when it is "
                 "reached, the verdict is undecided (exit status 3)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 24));
  app.add_option("--ignore", check.ignore,
                 "functions to leave out, such as read,write; any other unknown function is an error")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--no-witness", check.verdict_only,
               "looks for no minimal witness of a violated register, map or set, which may take longer than the "
               "verdict, and of several violated keys reports the first that it finds");
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}));
}

int whole_command(int argc, char** argv) {
  CLI::App app("picklock: under which faults does this distributed lock let two clients in?", "picklock");
  app.set_version_flag("--version", "picklock " + std::string(picklock::kVersion));
  app.footer(footer(kExamples));
  app.require_subcommand(1);

  picklock::RunCommand run;
  std::string run_format = "text", check_format = "text", list_format = "text";
  const CLI::IsMember formats({"text", "json"});
  CLI::App* const run_app = app.add_subcommand("run", "plays a scenario, once or over many seeds");
  picklock::add_scenario_options(*run_app, run.scenario, run.edits);
  run_app->footer(footer(kRunExamples));
  CLI::Option* const seed =
      run_app->add_option("--seed", run.seed, "seed of the run (default: that of the file, or 1)")->check(not_a_seed);
  CLI::Option* const seeds =
      run_app
          ->add_option("--seeds", run.seeds, "seeds A..B, both included, or a number N of seeds, 1..N; prints a table")
          ->check(not_seeds)
          ->excludes(seed);
  run_app
      ->add_option("--jobs", run.jobs,
                   "threads for many runs (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024))
      ->needs(seeds);
  run_app->add_option("--format", run_format, "text or json")->check(formats);
  CLI::Option* const slice =
      run_app->add_flag("--slice", run.slice, "shows only the records that led to the first violation")
          ->excludes(seeds);
  run_app
      ->add_option("--slice-of", run.slice_of,
                   "property whose violation is shown, such as mutual-exclusion (default: the first violated)")
      ->check(not_a_property)
      ->needs(slice);
  run_app->add_option("--dot", run.dot, "writes the slice as a graph for Graphviz")->check(empty)->needs(slice);
  run_app
      ->add_flag("--measure", run.measure,
                 "prints the cost of acquiring (latency, requests, wake-ups) instead of the verdicts")
      ->excludes(slice);
  run_app
      ->add_option("--width", run.width,
                   "columns of the output, from 60 to 1000 (default: the terminal's, otherwise 100)")
      ->check(CLI::Range(60, 1'000))
      ->excludes(seeds);
  run_app->add_flag("--brief", run.brief, "prints the picture and the violations, and no more")
      ->excludes(seeds)
      ->excludes(slice);
  run_app->add_flag("--all", run.all, "tells every renewal, and every line of a long story")
      ->excludes(seeds)
      ->excludes(slice);
  run_app->add_option("--svg", run.svg, "file for the picture, for slides and papers")->check(empty)->excludes(seeds);
  run_app
      ->add_option("--html", run.html,
                   "file for a page that shows the run in a browser: picture with messages, story, verdicts")
      ->check(empty)
      ->excludes(seeds);
  run_app->add_option("--perfetto", run.perfetto, "file of trace events, for ui.perfetto.dev or chrome://tracing")
      ->check(empty)
      ->excludes(seeds);
  picklock::add_stop_options(*run_app, run.until);
  picklock::add_kept_options(*run_app, run.kept);
  run_app->add_flag("--link", run.link, "prints a link that opens the run in the playground, and plays nothing")
      ->excludes(seeds);
  run_app
      ->add_option("--shiviz", run.shiviz,
                   "file of a log with vector clocks, for ShiViz; its expression: (?<event>.*)\\n(?<host>\\S*) "
                   "(?<clock>{.*})")
      ->check(empty)
      ->excludes(seeds);
  CLI::Option* const against =
      run_app->add_option("--against", run.against,
                          "variant, seed or lock (or another scenario) whose run stands beside this one: aligns both "
                          "stories, and marks the first difference");
  against->check(empty)->excludes(seeds)->excludes(slice);
  for (const char* const other : {"--measure", "--svg", "--perfetto", "--shiviz"})
    against->excludes(run_app->get_option(other));
  CLI::Option* const out =
      run_app->add_option("--out", run.out, "folder for history (EDN, JSON), trace, draws and result")->check(empty);
  against->excludes(out);

  const std::vector<picklock::Subcommand> campaign_commands = picklock::add_campaign_commands(app);

  picklock::TellCommand tell;
  std::string tell_format = "text";
  CLI::App* const tell_app =
      app.add_subcommand("tell", "tells a scenario: story, drawing, variants and what they repair");
  tell_app->footer(footer(kTellExamples));
  tell_app->add_option("scenario", tell.scenario, "scenario file, or name of a library scenario or variant")
      ->required();
  tell_app->add_option("--format", tell_format, "text or json")->check(formats);

  picklock::ExplainCommand explain;
  std::string explain_format = "text";
  CLI::App* const explain_app = app.add_subcommand(
      "explain", "finds what a run's violations need, where they begin and what ends them, by running again");
  explain_app->footer(kExplainExamples);
  picklock::add_scenario_options(*explain_app, explain.scenario, explain.edits);
  explain_app->add_option("--seed", explain.seed, "seed of the run (default: that of the file, or 1)")
      ->check(not_a_seed);
  explain_app
      ->add_option("--jobs", explain.jobs, "threads (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024));
  explain_app
      ->add_option("--html", explain.html, "file for a page that shows the run in a browser, with the explanation")
      ->check(empty);
  explain_app->add_option("--format", explain_format, "text or json")->check(formats);

  picklock::HuntCommand hunt;
  std::string hunt_format = "text";
  CLI::App* const hunt_app =
      app.add_subcommand("hunt", "searches for faults that break a lock, and shrinks, groups and rates what it finds");
  hunt_app->footer(kHuntExamples);
  add_hunt_options(*hunt_app, hunt);
  hunt_app->add_option("--format", hunt_format, "text or json")->check(formats);

  picklock::EnvelopeCommand envelope;
  std::string envelope_format = "text";
  CLI::App* const envelope_app = app.add_subcommand(
      "envelope", "measures from which pause, delay, drift, … on a lock lets two clients in, and compares its claims");
  envelope_app->footer(kEnvelopeExamples);
  add_envelope_options(*envelope_app, envelope);
  envelope_app->add_option("--format", envelope_format, "text or json")->check(formats);

  picklock::CheckCommand check;
  CLI::App* const check_app = app.add_subcommand("check", "judges a recorded history by a lock model");
  add_check_options(*check_app, check, check_format);

  picklock::ExportCommand convert;
  CLI::App* const export_app = app.add_subcommand("export", "rewrites a history as EDN or JSON for other checkers");
  export_app->footer(footer(kExportExamples));
  add_history_options(*export_app, convert.history);
  export_app->add_option("to", convert.to, "a file whose name ends in .edn or .json, and then .gz to pack it")
      ->required();
  export_app
      ->add_option("--for", convert.purpose,
                   "checker that reads the export: check (picklock check) or knossos. Only acquires and releases are "
                   "written; of a run, a hold lasts as long as its client believes in it")
      ->check(CLI::IsMember({"check", "knossos"}));
  export_app->add_option("--lock", convert.lock, "lock to export; the others are left out");

  picklock::ListCommand list;
  CLI::App* const list_app = app.add_subcommand("list", "lists locks, faults, workloads, scenarios, models, …");
  list_app->footer(footer(kListExamples));
  list_app->add_option("listing", list.what,
                       "locks, faults, workloads, scenarios, tags, models, properties, conditions, assumptions, marks");
  list_app->add_option("words", list.words, "only entries with these words in name, summary, source or tags");
  list_app->add_option("--tag", list.tags, "only scenarios with this tag; several tags: with all of them")
      ->take_all()
      ->allow_extra_args(false);
  list_app->add_option("--format", list_format, "text, json, or names: one name a line")
      ->check(CLI::IsMember({"text", "json", "names"}));

  const std::vector<picklock::Subcommand> own_lock_commands = picklock::add_own_lock_commands(app);
  const std::vector<picklock::Subcommand> playground_commands = {picklock::add_playground_command(app)};

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return finished(app.exit(done));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  return guarded([&] {
    run.json = run_format == "json";
    check.json = check_format == "json";
    list.json = list_format == "json";
    list.names = list_format == "names";
    if (run_app->parsed()) return finished(picklock::run(run));
    tell.json = tell_format == "json";
    if (tell_app->parsed()) return finished(picklock::tell(tell));
    explain.json = explain_format == "json";
    if (explain_app->parsed()) return finished(picklock::explain(explain));
    hunt.json = hunt_format == "json";
    if (hunt_app->parsed()) return finished(picklock::hunt(hunt));
    envelope.json = envelope_format == "json";
    if (envelope_app->parsed()) return finished(picklock::envelope(envelope));
    if (check_app->parsed()) return finished(picklock::check(check));
    if (export_app->parsed()) return finished(picklock::export_history(convert));
    for (const auto* const commands : {&campaign_commands, &own_lock_commands, &playground_commands}) {
      for (const picklock::Subcommand& command : *commands) {
        if (command.app->parsed()) return finished(command.run());
      }
    }
    return finished(picklock::list(list));
  });
}

// Checks may be many and short: this one knows no other command.  Empty: there is more to say than a verdict.
std::optional<int> check_alone(int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "check") return std::nullopt;
  CLI::App app;
  picklock::CheckCommand check;
  std::string format = "text";
  add_check_options(app, check, format);
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::Error&) {
    return std::nullopt;
  }
  check.json = format == "json";
  return guarded([&] { return finished(picklock::check(check)); });
}

}  // namespace

int picklock::command_line(int argc, char** argv) {
  open_program_locks();
  const std::optional<int> status = check_alone(argc, argv);
  return status ? *status : whole_command(argc, argv);
}
