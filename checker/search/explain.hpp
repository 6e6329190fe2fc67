// Puts the end of a search in words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "checker/history.hpp"
#include "checker/search/explanation.hpp"
#include "checker/search/search.hpp"
#include "checker/search/state_space.hpp"

namespace picklock {

// The events of an operation, by OperationId.
struct Occurrence {
  OperationEvent invoke;
  std::optional<OperationEvent> end;
};

// `outcome` is of a search in these intervals and this space, and is not_linearizable.
PartialLinearization explain(const SearchOutcome& outcome, std::span<const OperationSpan> intervals,
                             std::span<const Occurrence> occurrences, StateSpace& space, const History& tables);

// In a sentence or two, for one line.
std::string summary(const PartialLinearization& partial);

}  // namespace picklock
