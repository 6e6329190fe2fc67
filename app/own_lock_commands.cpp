#include "app/own_lock_commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>

#include "app/command.hpp"
#include "app/examples.hpp"
#include "app/validators.hpp"

namespace picklock {
namespace {

Subcommand add_regress(CLI::App& app) {
  const auto regress = std::make_shared<RegressCommand>();
  CLI::App* const sub =
      app.add_subcommand("regress", "plays the counterexamples of a folder again: still fails, fixed, cannot tell");
  sub->footer(examples::kRegressExamples);
  sub->add_option("folder", regress->folder, "folder of scenario files, such as hunt and check_lock write")->required();
  sub->add_option("--junit", regress->junit, "file for the result as JUnit XML, for continuous integration")
      ->check(empty);
  sub->add_option("--others", regress->others,
                  "other seeds to play when the kept run fails no more, 1 to N (default 100)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 32));
  return {sub, [regress] { return picklock::regress(*regress); }};
}

}  // namespace

std::vector<Subcommand> add_own_lock_commands(CLI::App& app) { return {add_regress(app)}; }

}  // namespace picklock
