#include "checker/properties/instant.hpp"

#include <algorithm>

#include "checker/properties/words.hpp"

namespace picklock {

std::optional<std::int64_t> instant_of(const Finding& finding, const History& history) {
  std::optional<std::int64_t> last;
  const auto note = [&](const auto* record) {
    if (record != nullptr) last = std::max(last.value_or(record->time), record->time);
  };
  for (const std::uint32_t index : finding.witness.all_events()) {
    const BeliefEvent* const belief = find_record(history.beliefs, index);
    if (belief != nullptr && belief->end == BeliefEnd::none) note(belief);
    note(find_record(history.operations, index));
    note(find_record(history.grants, index));
    note(find_record(history.effects, index));
  }
  return last;
}

}  // namespace picklock
