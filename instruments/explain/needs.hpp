// Needed parts of a scenario: each is left out, alone and with others, and the scenario runs again.
#pragma once

#include "instruments/explain/claims.hpp"

namespace picklock {

Needed needs_of(Experiments& experiments, const Trial& base, Property property);

}  // namespace picklock
