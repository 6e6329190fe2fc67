// Tails of laws: how likely a longer value is, and values drawn given that they are longer.
//
// Both are exact for the law as it is sampled: a law maps each of 2^64 patterns of bits to a value, so
// a probability is a number of patterns.  A duration that has lasted x so far ends at sample_above(law,
// bits, x): so it can be drawn in pieces, and anew from any instant on, without a change of its law.
#pragma once

#include <cstdint>

#include "base/law.hpp"

namespace picklock {

// Number of the 2^64 patterns that give a value above x; 2^64 - 1 stands for all of them too.
std::uint64_t patterns_above(const Law& law, std::int64_t x);

// A value of the law given that it is above x; x itself if the law has none.
std::int64_t sample_above(const Law& law, std::uint64_t bits, std::int64_t x);

// The largest value that at least this many patterns reach or exceed.  patterns > 0.
std::int64_t value_reached_by(const Law& law, std::uint64_t patterns);

}  // namespace picklock
