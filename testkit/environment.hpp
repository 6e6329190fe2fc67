// Seed and effort of a test, from its environment: no other file of this folder reads that.
#pragma once

#include <cstdint>
#include <optional>

namespace picklock {

// PICKLOCK_SEED: the first seed of a check.  PICKLOCK_EFFORT: the number of scenarios that it plays.  Nothing if the
// variable is not set; throws std::runtime_error if it is no number.
std::optional<std::uint64_t> seed_of_environment();
std::optional<std::uint64_t> effort_of_environment();

}  // namespace picklock
