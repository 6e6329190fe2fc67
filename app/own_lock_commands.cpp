#include "app/own_lock_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>

#include "app/command.hpp"
#include "app/completion.hpp"
#include "app/describe.hpp"
#include "app/examples.hpp"
#include "app/program_options.hpp"
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
  allow_typed_programs(
      sub->add_option("--lock", regress->lock, "lock that takes the place of each file's own")->check(empty));
  add_allow_program(*sub);
  return {sub, [regress] { return picklock::regress(*regress); }};
}

Subcommand add_new(CLI::App& app) {
  const auto made = std::make_shared<NewLockCommand>();
  CLI::App* const sub = app.add_subcommand("new", "writes the skeleton of a lock of your own, with its tests");
  sub->footer(examples::kNewExamples);
  sub->add_option("what", "kind of skeleton: lock")->required()->check(CLI::IsMember({"lock"}));
  sub->add_option("name", made->name, "name of the lock: small letters, digits and hyphens, such as my-lock")
      ->required()
      ->check(not_a_lock_name);
  sub->add_option("--into", made->into, "folder for the files (default: one of the lock's name)")->check(empty);
  CLI::Option* const lua =
      sub->add_flag("--lua", made->lua, "writes a lock in Lua, one file that needs no compiler: docs/lua.md");
  sub->add_flag("--mistake", made->mistake, "writes a lock that has a mistake, the exercise of chapter 10 of the guide")
      ->needs(lua);
  CLI::Option* const python =
      sub->add_flag("--python", made->python,
                    "writes a program in Python that calls a library, redis-py as it stands: docs/programs.md");
  CLI::Option* const node = sub->add_flag(
      "--node", made->node, "writes a program for Node that calls a library, ioredis as it stands: docs/programs.md");
  lua->excludes(python)->excludes(node);
  python->excludes(node);
  return {sub, [made] { return new_lock(*made); }};
}

Subcommand add_tour(CLI::App& app) {
  const auto asked = std::make_shared<TourCommand>();
  CLI::App* const sub = app.add_subcommand("tour", "leads through the guide step by step, and plays its runs");
  sub->footer(examples::kTourExamples);
  sub->add_option("chapter", asked->chapter, "number or name of a chapter (default: all)")->check(empty);
  sub->add_flag("--list", asked->list, "lists the chapters");
  return {sub, [asked] { return tour(*asked); }};
}

Subcommand add_describe(CLI::App& app) {
  const auto form = std::make_shared<std::string>();
  CLI::App* const sub = app.add_subcommand("describe", "prints the manual page, or the completion for a shell");
  sub->footer(examples::kDescribeExamples);
  sub->add_option("form", *form, "man, bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
  return {sub, [form, &app] {
            const auto describe = *form == "man"    ? manual_page
                                  : *form == "bash" ? bash_completion
                                  : *form == "zsh"  ? zsh_completion
                                                    : fish_completion;
            fmt::print("{}", describe(app));
            return kAsExpected;
          }};
}

}  // namespace

std::vector<Subcommand> add_own_lock_commands(CLI::App& app) {
  return {add_new(app), add_regress(app), add_tour(app), add_describe(app)};
}

}  // namespace picklock
