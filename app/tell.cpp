#include <fmt/format.h>

#include "app/command.hpp"
#include "base/printable.hpp"
#include "reports/tell.hpp"

namespace picklock {

int tell(const TellCommand& command) {
  const TaleOrErrors result = tale_of(command.scenario);
  if (!result.errors.empty()) return report(result.errors, command.json);
  fmt::print("{}", command.json ? tell_json(result.tale) : printable_lines(tell_text(result.tale)));
  return kAsExpected;
}

}  // namespace picklock
