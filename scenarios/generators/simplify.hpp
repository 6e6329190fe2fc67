// Shrinking: from a plan that breaks something to the simplest one that still does.
//
// No RapidCheck here: searches use it as well.  Every step makes a plan simpler by one measure, so
// that shrinking ends.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "faults/plan.hpp"

namespace picklock {

// Features that make a plan hard to read, the worst first.  Compared in this order.
struct Complexity {
  __extension__ using Wide = unsigned __int128;
  std::int64_t faults = 0;
  std::int64_t events = 0;  // triggers that wait for one
  std::int64_t said = 0;    // fields that differ from the defaults, if any are given for comparison
  std::int64_t turns = 0;   // laws that are not constant, ends that are left open, choices, flags
  std::int64_t counts = 0;  // counts of events, beyond the first
  Wide size = 0;            // sum of all numbers, absolute

  auto operator<=>(const Complexity&) const = default;
};

Complexity complexity(const FaultPlan& plan);
// `defaults` has the same type: a field that has its default value weighs nothing.
Complexity complexity(const AnyOptions& options, const AnyOptions& defaults = {});

// Simpler variants, the boldest first: nothing at all; chunks of faults dropped, then single ones;
// at the start instead of on an event; then each number nearer to zero and rounder, each choice
// nearer to the first.  Names stay as they are.  Every one is less by `complexity`, keeps within
// the bounds of its fields, and never repeats the plan itself.  A fault is simpler the shorter it
// lasts, not the less is said of it; of options that have `defaults` these are tried first.
std::vector<FaultPlan> simplify(const FaultPlan& plan);
std::vector<AnyOptions> simplify(const AnyOptions& options, const AnyOptions& defaults = {});

// The first simpler variant that still fails, and so on until none does.
template <class Value, class StillFails>
Value minimise(Value value, StillFails still_fails) {
  for (bool simpler = true; simpler;) {
    simpler = false;
    for (Value& candidate : simplify(value)) {
      if (!still_fails(std::as_const(candidate))) continue;
      value = std::move(candidate);
      simpler = true;
      break;
    }
  }
  return value;
}

}  // namespace picklock
