// A test of one lock draws scenarios for one claim after the other.
//
// Two of eight have no faults: sections are short in one, and outlast the lease in the other, if the lock renews it.  The others
// are meant for one claim each, and stay within what that claim needs: three for exclusion, two for releases, returns, renewals
// and tokens in turn, and one in which every client stops at its deadline.
#pragma once

#include <cstdint>

#include "algorithms/lock.hpp"
#include "scenarios/generators/scenario.hpp"

namespace picklock {

ScenarioBounds bounds_in_turn(std::uint64_t number, const LockKind& kind, const Options& options, bool vary_options);

}  // namespace picklock
