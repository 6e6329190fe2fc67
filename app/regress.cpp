#include "reports/regress.hpp"

#include <fmt/format.h>

#include "app/command.hpp"
#include "base/files.hpp"

namespace picklock {

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

}  // namespace picklock
