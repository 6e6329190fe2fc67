#include "app/scenario_options.hpp"
#include "app/program_options.hpp"

#include <CLI/CLI.hpp>

#include "app/validators.hpp"

namespace picklock {

void add_edit_options(CLI::App& app, ScenarioEdits& edits) {
  app.add_option("--set", edits.set, "changes one value, path=value: clients.b.hold=80ms, storage.fence=writes")
      ->take_all()
      ->allow_extra_args(false);
  // After --set, which replaces the list.
  app.add_option_function<std::string>(
         "--reseed", [&edits](const std::string& recipe) { edits.set.push_back("reseed=" + recipe); },
         "draws anew from these instants on, INSTANT:SEED, as in 1.2s:77,1.3s:12; the run keeps all that came before")
      ->check(empty);
  app.add_option("--without", edits.without,
                 "leaves out one part: 'fault[0]', clients.b, 'clock[1]', or fault, which is all faults")
      ->take_all()
      ->allow_extra_args(false);
}

// The scenario of a run, and its edits.
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

}  // namespace picklock
