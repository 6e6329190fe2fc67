#include "app/shared_options.hpp"

#include <thread>

#include "bridge/program_locks.hpp"
#include "bridge/real_time.hpp"

namespace picklock {

std::string with_exit_status(const char* examples) {
  return std::string(examples) + R"(

Exit status: 0 as expected or valid; 1 violated, invalid or not as expected; 2 usage, bad input, or output that cannot be
written; 3 undecided. Results go to standard output, progress and diagnostics to standard error.)";
}

CLI::Option* comma_separated(CLI::Option* option) {
  return option->delimiter(',')->take_all()->allow_extra_args(false);
}

CLI::Option* repeatable(CLI::Option* option) { return option->take_all()->allow_extra_args(false); }

CLI::Option* add_path(CLI::App& app, const char* name, std::string& path, const char* help) {
  return app.add_option(name, path, help)->check(empty);
}

CLI::Option* add_jobs(CLI::App& app, unsigned& jobs, const char* what) {
  return app
      .add_option("--jobs", jobs, std::string(what) + " (default: one per core); the result is the same for any number")
      ->check(CLI::Range(1, 1024));
}

unsigned threads_of(unsigned jobs) { return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency()); }

CLI::Option* add_seed(CLI::App& app, std::optional<std::uint64_t>& seed) {
  return app.add_option("--seed", seed, "seed of the run (default: that of the file, or 1)")->check(not_a_seed);
}

CLI::Option* add_draws_seed(CLI::App& app, const char* name, std::uint64_t& seed, const char* help) {
  return app.add_option(name, seed, help)->check(not_a_seed);
}

CLI::Option* add_seeds(CLI::App& app, std::optional<SeedRange>& seeds, const char* help) {
  const auto take = [&seeds](const std::string& text) { seeds = parse_seeds(text); };
  return app.add_option_function<std::string>("--seeds", take, help)->check(not_seeds);
}

CLI::Option* add_format(CLI::App& app, bool& json) {
  const auto take = [&json](const std::string& format) { json = format == "json"; };
  return app.add_option_function<std::string>("--format", take, "text or json")->check(CLI::IsMember({"text", "json"}));
}

CLI::Option* add_format(CLI::App& app, std::string& format, const std::vector<std::string>& names, const char* help) {
  return app.add_option("--format", format, help)->check(CLI::IsMember(names));
}

void add_stop_options(CLI::App& app, StopRule& until) {
  app.add_option_function<std::string>(
         "--until-width", [&until](const std::string& text) { until.width = parse_share(text); },
         "stops when the 95 % interval of each share violated is at most so wide, as in 1%; --seeds is then the most "
         "that is played, in each cell of a sweep")
      ->check(not_a_share);
  app.add_option_function<std::string>(
         "--until-decided", [&until](const std::string& text) { until.bound = parse_claim(text); },
         "stops when this claim about each share violated is confirmed or refuted with 95 %, as in 'P<1e-4'")
      ->check(not_a_claim);
}

CLI::Option* add_kept_options(CLI::App& app, StoreWords& kept) {
  CLI::Option* const store =
      add_path(app, "--store", kept.store,
               "file that keeps results; the same command with the same file goes on where it stopped");
  app.add_flag("--play-again", kept.play_again,
               "plays what the store has again, and compares: a difference is broken determinism")
      ->needs(store);
  return store;
}

void add_edit_options(CLI::App& app, ScenarioEdits& edits) {
  repeatable(
      app.add_option("--set", edits.set, "changes one value, path=value: clients.b.hold=80ms, storage.fence=writes"));
  // Runs after --set, which replaces the list.
  app.add_option_function<std::string>(
         "--reseed", [&edits](const std::string& recipe) { edits.set.push_back("reseed=" + recipe); },
         "draws anew from these instants on, INSTANT:SEED, as in 1.2s:77,1.3s:12; the run keeps all that came before")
      ->check(empty);
  repeatable(app.add_option("--without", edits.without,
                            "leaves out one part: 'fault[0]', clients.b, 'clock[1]', or fault, which is all faults"));
}

void add_scenario_options(CLI::App& app, std::string& scenario, ScenarioEdits& edits) {
  app.add_option("scenario", scenario,
                 "scenario file, or name of a library scenario: paused_holder, paused_holder/fenced")
      ->required();
  allow_typed_programs(
      app.add_option(
             "--lock", edits.lock,
             "replaces the lock by another one, by a file in Lua such as my_lock.lua, or by a command such as 'python3 "
             "my_lock.py'; its verdicts alone are judged")
          ->check(empty));
  add_allow_program(app);
  add_edit_options(app, edits);
}

void add_grid_options(CLI::App& app, GridWords& grid, std::vector<std::string>& properties,
                      std::optional<SeedRange>& seeds, unsigned& jobs) {
  app.add_option("scenarios", grid.scenarios, "scenario files, or names of library scenarios and variants")->required();
  comma_separated(allow_typed_programs(
      app.add_option("--lock", grid.locks, "locks to play: redlock,etcd-mutex (default: the scenario's own)")));
  add_allow_program(app);
  repeatable(app.add_option(
      "--vary", grid.vary,
      "values to play, path=value,value or path=FROM..TO/STEP: lock.ttl=100ms,300ms, 'fault[0].lasts=2s..9s/1s'"));
  repeatable(app.add_option("--set", grid.set, "changes one value for all, path=value"));
  comma_separated(app.add_option("--property", properties,
                                 "properties to judge, such as mutual-exclusion,lost-update (default: "
                                 "mutual-exclusion, and what a scenario expects to be violated)")
                      ->check(not_a_property));
  seeds = SeedRange{1, 1000};
  add_seeds(app, seeds, "seeds A..B, or a number N of seeds, 1..N (default 1..1000)");
  add_jobs(app, jobs);
}

CLI::Option* allow_typed_programs(CLI::Option* option) {
  return option->each([](const std::string& value) { allow_program(value); });
}

void add_allow_program(CLI::App& app) {
  app.add_flag_callback(
      "--allow-program", allow_all_programs,
      "starts the programs that scenario files name as locks; without it only those of --lock are started");
}

CLI::Option* add_clock(CLI::App& app) {
  const auto choose = [](const std::string& clock) {
    if (clock == "wall") play_programs_in_real_time();
  };
  return app
      .add_option_function<std::string>("--clock", choose,
                                        "clock of a lock that is a program: virtual (default; repeatable), or wall: "
                                        "the program runs freely in real time, "
                                        "whatever it is written in")
      ->check(CLI::IsMember({"virtual", "wall"}));
}

}  // namespace picklock
