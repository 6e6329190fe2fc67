// Generality: on how many other seeds the claims of an explanation hold as well.
#pragma once

#include "instruments/explain/claims.hpp"

namespace picklock {

inline constexpr std::uint64_t kOtherSeeds = 100;

// The generality of one violated property, whose needs and quantities are known.
Generality generality_of(Experiments& experiments, const Trial& base, const PropertyExplanation& claims,
                         const std::vector<Cure>& cures);

}  // namespace picklock
