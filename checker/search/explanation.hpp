// Explains why a history has no linearization: how far one gets, and why no further.
//
// It consists of plain text and events, so that reports need to know neither models nor searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

// An operation and what it did, as the model reads it.
struct PlacedOperation {
  OperationEvent invoke;
  std::optional<OperationEvent> end;  // completion; none, or an info: it crashed; a fail: it was refused
  std::string operation;              // "write 4", "read 3", "cas 1 → 2 (crashed)"
  std::string state;                  // state right after it
};

// An operation that might have come next, and why it could not.
struct FailedCandidate {
  OperationEvent invoke;
  std::optional<OperationEvent> end;
  std::string operation;
  bool possible = false;  // true: it can take effect, but every continuation ends further back
  std::string state;      // state right after it, if possible
  std::string why;        // a clause: "the register is 4", "the operation that must be next …"
};

// The longest partial linearization: an order of operations that obeys the model and real time as
// far as any does, and the operation at which all of them end.
struct PartialLinearization {
  std::string part;                         // name of the part, "key 3", if the history was split
  std::string initial;                      // the state before `placed`
  std::uint64_t omitted = 0;                // operations placed before the first that is listed
  std::vector<PlacedOperation> placed;      // the last kListed operations in their order
  PlacedOperation stuck;                    // completed operation without any possible place; `state` is empty
  std::vector<FailedCandidate> candidates;  // candidates after `placed`; `stuck` is the first of them
  std::uint64_t more_candidates = 0;        // number of candidates beyond kListed
  std::uint64_t configurations = 0;         // number of configurations tried in all

  static constexpr std::size_t kListed = 1000;
};

// A smallest set of operations that has no order, although each other operation of the part may take effect at any time,
// whatever it was answered, or never (minimal_witness.hpp).
struct MinimalWitness {
  std::vector<PlacedOperation> operations;  // sorted by invoke, without states; empty: the search for them did not end
  bool own_time = false;                    // true: each other one may do so between its invoke and its return alone
  std::uint64_t others = 0;                 // number of other operations of the part, which are left out
  bool minimal = false;                     // true: each is needed; false: the bounds were reached, and fewer might do
  std::vector<std::string> reasons;         // reasons in sentences
};

}  // namespace picklock
