#include <fmt/format.h>

#include "app/command.hpp"
#include "reports/json.hpp"

namespace picklock {

int report(const std::vector<ScenarioError>& errors, bool json) {
  if (json) fmt::print("{}", errors_json(errors));
  for (const ScenarioError& e : errors) fmt::print(stderr, "{}{}\n", e.file.empty() ? "picklock: " : "", print(e));
  return kUsage;
}

}  // namespace picklock
