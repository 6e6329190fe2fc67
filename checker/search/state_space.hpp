// A model as the search sees it: states and operations are numbers.
//
// A model is written as a Spec (spec.hpp), which makes one of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace picklock {

using StateId = std::uint32_t;
using OperationId = std::uint32_t;  // place in the list that the search was given
inline constexpr StateId kImpossible = 0xffffffff;

class StateSpace {
 public:
  virtual ~StateSpace() = default;

  virtual StateId initial() = 0;

  // The state after the operation, or kImpossible.  Equal states have equal ids.
  virtual StateId step(StateId state, OperationId operation) = 0;

  // Does "a, then b" never do what "b, then a" would not do as well?  Precisely: in every state in
  // which a and then b are possible, b and then a are possible too and lead to the same state.
  // `false` is always safe.  (A right mover of Lipton, "Reduction", CACM 18(12), 1975.)
  virtual bool may_follow(OperationId a, OperationId b) = 0;

  // Is a of no use right before b?  In every state in which a and then b are possible, b alone is
  // possible too and leads to the same state.  Asked of crashed a, which need not be used.  `false` is
  // always safe.
  virtual bool may_omit(OperationId a, OperationId b) = 0;

  // Could `operation` become possible after some of `others`, in some order?  `true` is always
  // safe.
  virtual bool attainable(StateId state, OperationId operation, std::span<const OperationId> others) = 0;

  // Does it leave each state as it is in which it is possible, as a read does?  `false` is always safe.
  virtual bool observes(OperationId operation) = 0;

  // Forgets all states but these, whose ids change in place.
  virtual void keep(std::span<StateId> states) = 0;

  virtual std::string describe(StateId state) = 0;
  virtual std::string why_not(StateId state, OperationId operation) = 0;  // a clause

  [[nodiscard]] virtual std::size_t memory() const = 0;  // bytes
};

}  // namespace picklock
