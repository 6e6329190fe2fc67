// An explanation as a JSON document; docs/explain.md describes it.
#pragma once

#include <string>

#include "instruments/explain/claims.hpp"

namespace picklock {

std::string explanation_json(const Explanation& explanation, Experiments& experiments);

}  // namespace picklock
