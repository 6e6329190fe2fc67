#include "scenarios/run/without_fault.hpp"

#include <variant>

#include "scenarios/run/run.hpp"

namespace picklock {

std::shared_ptr<const History> history_without(const RunRecord& record, std::size_t fault) {
  Scenario less = record.scenario();
  less.faults.erase(less.faults.begin() + static_cast<std::ptrdiff_t>(fault));
  auto compiled = Runner::compile(less);
  auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled);
  return runner == nullptr ? nullptr : (*runner)->run(record.result.seed).history;
}

}  // namespace picklock
