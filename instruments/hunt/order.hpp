// Plans after PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): priorities over deliveries.
//
// Each direction of each link has a priority: what goes over a link of a lower one takes longer, by a part of a deadline, so that it arrives
// after all that was sent at the same time over those of a higher one. At d - 1 events, chosen evenly, one link falls to the
// lowest priority. A failure that hangs on the order of d deliveries is met by a plan with a chance of at least
// 1 / (n k^(d-1)), of n links and k events.
#pragma once

#include <cstdint>

#include "instruments/hunt/strategy.hpp"

namespace picklock {

inline constexpr std::int64_t kMostDepth = 3;  // largest depth d of a plan

// Takes the place of the plan of faults in a scenario that was drawn for this space.
void draw_order(Scenario& drawn, const FaultSpace& space, const Aim& aim);

}  // namespace picklock
