#include "reports/campaigns/regress.hpp"

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/shared_options.hpp"
#include "base/files.hpp"

namespace picklock {
namespace {

struct RegressCommand {
  std::string folder;
  std::string junit;           // file; empty: none
  std::uint64_t others = 100;  // seeds to play when the kept run fails no more
  std::string lock;            // lock to play instead of each file's own; empty: none
};

// 0: all fixed; 1: something still fails; 3: something cannot be told any more.
int regress(const RegressCommand& command) {
  const std::vector<Regression> all = regress_folder(command.folder, {command.others, command.lock});
  if (all.empty()) {
    fmt::print(stderr, "picklock: {}: found no scenario file, expected files *.toml\n", command.folder);
    return kUsage;
  }
  if (!command.junit.empty()) write_file(command.junit, regress_junit(command.folder, all));
  fmt::print("{}", regress_text(all));
  return exit_status(all);
}

constexpr const char* kRegressExamples = R"(
Examples:
  picklock hunt --lock redlock --out kept
  picklock regress kept
  picklock regress kept --junit regress.xml
  picklock regress kept --lock mended.lua           the same faults around another lock

A kept run fails still if one of the properties that its file expects to be violated is: on the file's seed, or on another. It
is fixed if all of them hold on every seed that puts them to the test, with every fault striking. What no seed puts to the
test any more, and a file that no longer fits the program, cannot be told.

Exit status: 0 everything is fixed; 1 something still fails; 2 usage, bad input, or output that cannot be written; 3 nothing
fails, and something cannot be told any more.)";

}  // namespace

CommandBody state_regress(CLI::App& app) {
  const auto asked = std::make_shared<RegressCommand>();
  app.footer(kRegressExamples);
  app.add_option("folder", asked->folder, "folder of scenario files, such as hunt and check_lock write")->required();
  add_path(app, "--junit", asked->junit, "file for the result as JUnit XML, for continuous integration");
  app.add_option("--others", asked->others, "other seeds to play when the kept run fails no more, 1 to N (default 100)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 32));
  allow_typed_programs(add_path(app, "--lock", asked->lock, "lock that takes the place of each file's own"));
  add_allow_program(app);
  return [asked] { return regress(*asked); };
}

}  // namespace picklock
