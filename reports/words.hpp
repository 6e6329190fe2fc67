// Verdicts as sentences, and signs for names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"

namespace picklock {

// A sign for each of these names, by which a picture tells them apart: the initial, unless another has it too, or it is one
// of the picture's own signs.
std::map<std::string, char> signs_of(const std::vector<std::string>& names);

// "mutual-exclusion: NOT as expected: the scenario expects "violated in every run"; it held in 10 of 10", and a new
// line.
std::string unmet_expectation(const Scenario& scenario, const PropertySummary& property);

// Tells what was violated and how, what held, what could not be decided, and what the lock assumes.
std::string verdicts_in_words(const Scenario& scenario, const RunResult& result, bool raw);

}  // namespace picklock
