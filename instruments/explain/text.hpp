// An explanation for a terminal: the paragraph, the claims behind it, and the command of each run that they refer to.
#pragma once

#include <string>

#include "instruments/explain/claims.hpp"

namespace picklock {

// `name` of the scenario, as a run's head says it.
std::string explanation_text(const Explanation& explanation, Experiments& experiments, const std::string& name);

}  // namespace picklock
