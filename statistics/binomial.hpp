// The binomial distribution: `hits` in `trials` that are each hit with chance `share`.
#pragma once

#include <cstdint>

namespace picklock {

double chance_of_at_most(std::uint64_t hits, std::uint64_t trials, double share);
double chance_of_at_least(std::uint64_t hits, std::uint64_t trials, double share);

}  // namespace picklock
