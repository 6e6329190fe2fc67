// picklock: under which faults does this distributed lock let two clients in?

#include "app/main.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <new>

#include "app/command.hpp"
#include "app/shared_options.hpp"
#include "app/usage_error.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "bridge/program_locks.hpp"
#include "bridge/raised_errors.hpp"

namespace picklock {
namespace {

// Commands in the order of the help.
constexpr Command kCommands[] = {
    {"run", "plays a scenario, once or over many seeds", state_run},
    {"compare", "plays several locks, options or variants on the same seeds, and compares them", state_compare},
    {"sweep", "plays a grid of locks and settings, and prints a table of shares, service and cost", state_sweep},
    {"estimate", "measures how likely a violation is, also where no campaign meets one", state_estimate},
    {"merge", "joins the stores of several sweeps into one", state_merge},
    {"tell", "tells a scenario: story, drawing, variants and what they repair", state_tell},
    {"explain", "finds what a run's violations need, where they begin and what ends them, by running again",
     state_explain},
    {"hunt", "searches for faults that break a lock, and shrinks, groups and rates what it finds", state_hunt},
    {"envelope", "measures from which pause, delay, drift, … on a lock lets two clients in, and compares its claims",
     state_envelope},
    {"check", "judges a recorded history by a lock model", state_check},
    {"export", "rewrites a history as EDN or JSON for other checkers", state_export},
    {"list", "lists locks, faults, workloads, scenarios, models, …", state_list},
    {"new", "writes the skeleton of a lock of your own, with its tests", state_new_lock},
    {"regress", "plays the counterexamples of a folder again: still fails, fixed, cannot tell", state_regress},
    {"tour", "leads through the guide step by step, and plays its runs", state_tour},
    {"describe", "prints the manual page, or the completion for a shell", state_describe},
    {"playground", "prints the address of the simulator as a page for the browser", state_playground},
};

constexpr const char* kExamples = R"(
Examples:
  picklock run paused_holder                        one run, as a picture and a story
  picklock compare paused_holder --vary lock.ttl=100ms,300ms
  picklock tell paused_holder                       what a scenario is about, and what repairs it
  picklock explain paused_holder                    finds causes, thresholds and cures by running again
  picklock sweep paused_holder --vary lock.ttl=100ms..400ms/50ms --format csv
  picklock estimate my.toml                         how likely a violation is, down to 1e-9
  picklock hunt --lock redlock                      finds failures that no scenario tells of
  picklock check history.edn --model mutex          judges a history that anything recorded
  picklock export jepsen.log history.edn.gz
  picklock regress kept --junit regress.xml         plays kept counterexamples again
  picklock list scenarios                           what goes wrong, by topic
  picklock new lock my-lock                         writes the skeleton of a lock of your own
  picklock tour                                     leads through the guide, and plays its runs

'picklock run --help' shows the options of run, with examples; the other commands have such a page too.

Environment: PICKLOCK_LIBRARY=FOLDER takes the scenarios of a folder instead of the library; NO_COLOR=1 prints without colours.)";

std::unique_ptr<CLI::App> app_without_commands() {
  auto app = std::make_unique<CLI::App>("picklock: under which faults does this distributed lock let two clients in?",
                                        "picklock");
  app->set_version_flag("--version", "picklock " + std::string(kVersion));
  app->footer(with_exit_status(kExamples));
  app->require_subcommand(1);
  return app;
}

// Whether all that was written has reached standard output.
int finished(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  fmt::print(stderr, "picklock: standard output cannot be written\n");
  return kUsage;
}

// The action's exit status, or the answer to what goes wrong in it.
int guarded(const CommandBody& action) {
  try {
    const int status = finished(action());
    fmt::print(stderr, "{}", printable_lines(take_raised_errors()));
    return status;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "picklock: the machine has no more memory: undecided\n");
    return kUndecided;
  } catch (const std::exception& error) {
    fmt::print(stderr, "picklock: {}\n", printable_lines(error.what()));
  }
  return kUsage;
}

}  // namespace

std::unique_ptr<CLI::App> app_to_describe() {
  auto app = app_without_commands();
  for (const Command& c : kCommands) c.state(*app->add_subcommand(std::string(c.name), std::string(c.summary)));
  return app;
}

int command_line(int argc, char** argv) {
  open_program_locks();
  const auto app = app_without_commands();
  const std::string_view first = argc > 1 ? argv[1] : "";
  CommandBody action;
  // Checks may be many and short: only the command that is asked for states its options.
  for (const Command& c : kCommands) {
    CLI::App* const sub = app->add_subcommand(std::string(c.name), std::string(c.summary));
    if (first == c.name) action = c.state(*sub);
  }
  try {
    app->parse(argc, argv);
  } catch (const CLI::Success& done) {
    return finished(app->exit(done));
  } catch (const CLI::ParseError& error) {
    return usage_error(*app, error, argc, argv);
  }
  return guarded(action);
}

}  // namespace picklock
