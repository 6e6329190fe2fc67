// Faults within what a lock assumes.
//
// Plans drawn at large break some assumption of a lock nearly always, and then a violation says
// nothing about the lock.  Of a tamed plan every fault stays below the bounds, by itself: whether the
// run as a whole did is measured, not promised (a pause and a delay may fall into one hold).
#pragma once

#include <span>

#include "checker/properties/assumptions.hpp"
#include "faults/plan.hpp"

namespace picklock {

// The least bound of one kind of assumption; none without that assumption.
std::optional<std::int64_t> limit_of(std::span<const Assumption> assumed, AssumptionKind kind);

// The plan with every length, step and rate below its bound; faults that cannot be are left out.
// Each fault takes at most this part of a bound, so that several may fall into one hold, beside its work.
inline constexpr std::int64_t kPartsOfABound = 8;
FaultPlan within(FaultPlan plan, std::span<const Assumption> assumed, std::int64_t parts = kPartsOfABound);

}  // namespace picklock
