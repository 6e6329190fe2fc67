// Thresholds: each length, instant, lease and drift that matters is varied to the point where the verdict turns.
//
// A grid of values shows between which of its neighbours the verdict turns; bisection then narrows each gap to three
// digits.  The two runs on either side are kept, and so are all values that were tried.
#pragma once

#include "instruments/explain/claims.hpp"

namespace picklock {

std::vector<Quantity> thresholds_of(Experiments& experiments, const Trial& base, Property property,
                                    const Needed& needs);

}  // namespace picklock
