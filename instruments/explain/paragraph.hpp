// The explanation in at most eight plain sentences, each with the claims that it states and the trials that show them.
#pragma once

#include "instruments/explain/claims.hpp"

namespace picklock {

inline constexpr std::size_t kMostSentences = 8;

// Tells the first violated property; requires one.
std::vector<Sentence> paragraph_of(const Explanation& explanation);

// "a", "a and b", "a, b and c"
std::string in_a_row(const std::vector<std::string>& words, std::string_view last = "and");

}  // namespace picklock
