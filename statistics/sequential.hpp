// Stopping as soon as enough is known, without fooling oneself.
//
// An interval of a fixed number of runs is wrong if one looks at it after each run and stops when it pleases: with many
// looks it misses the truth nearly surely. A *confidence sequence* contains the truth at all looks together, with 95 %.
// This one is the prior-posterior ratio of a beta prior with both parameters 1/2. Sources: H. Robbins, Annals of
// Mathematical Statistics 41 (1970) 1397–1409; I. Waudby-Smith, A. Ramdas, NeurIPS 33 (2020); S. Howard, A. Ramdas,
// J. McAuliffe, J. Sekhon, Annals of Statistics 49 (2021) 1055–1080.
#pragma once

#include <cstdint>

#include "statistics/intervals.hpp"

namespace picklock {

// The shares that `hits` in `trials` do not exclude; 0 to 1 without trials.
ShareInterval confidence_sequence(std::uint64_t hits, std::uint64_t trials);

// True if the sequence excludes this share, which lies between 0 and 1, both not included.
bool excludes(double share, std::uint64_t hits, std::uint64_t trials);

// p-value that the share is this one, valid at every look: below 0.05 the sequence excludes it.
double anytime_p(double share, std::uint64_t hits, std::uint64_t trials);

}  // namespace picklock
