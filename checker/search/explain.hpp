// Puts the end of a search in words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "checker/history.hpp"
#include "checker/naming.hpp"
#include "checker/search/explanation.hpp"
#include "checker/search/minimal_witness.hpp"
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

// Explains why the set has no order.  `occurrences` and `space` are those of the disorder.
MinimalWitness explain(const SmallestSet& set, const Disorder& disorder, std::span<const Occurrence> occurrences,
                       const History& tables, const Naming& naming);

// A sentence or two, for one line.
std::string summary(const PartialLinearization& partial, const Naming& naming);

}  // namespace picklock
