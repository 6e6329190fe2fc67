// Kept counterexamples, played again: as text, and as JUnit XML for continuous integration.
#pragma once

#include <string>
#include <vector>

#include "campaigns/regress.hpp"

namespace picklock {

std::string regress_text(const std::vector<Regression>& all);

// A test case a scenario: what still fails is a failure, what cannot be told an error.
std::string regress_junit(const std::string& folder, const std::vector<Regression>& all);

}  // namespace picklock
