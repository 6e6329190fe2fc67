#include <fmt/format.h>

#include "app/command.hpp"
#include "base/printable.hpp"
#include "reports/json.hpp"
#include "reports/tell.hpp"

namespace picklock {

int tell(const TellCommand& command) {
  const TaleOrErrors result = tale_of(command.scenario);
  if (!result.errors.empty()) {
    if (command.json) fmt::print("{}", errors_json(result.errors));
    for (const ScenarioError& e : result.errors)
      fmt::print(stderr, "{}{}\n", e.file.empty() ? "picklock: " : "", print(e));
    return kUsage;
  }
  fmt::print("{}", command.json ? tell_json(result.tale) : printable_lines(tell_text(result.tale)));
  return kAsExpected;
}

}  // namespace picklock
