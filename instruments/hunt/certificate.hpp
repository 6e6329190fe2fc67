// Minimality: no proper subset of a plan's faults does what the plan does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instruments/hunt/judge.hpp"

namespace picklock {

// Every proper subset of the faults is played with the seed of the plan, all else being the same; it counts against the plan if it
// fails as to the property, in whatever way.
struct Certificate {
  std::uint64_t subsets = 0;         // number of all subsets, the empty one included
  std::uint32_t tried = 0;           // number of them tried; fewer if one fails, or the bound of runs ended it
  std::optional<Failure> smaller{};  // failure of the first failing subset, with …
  FaultPlan smaller_faults{};        // … its faults
  std::vector<Property> also{};      // other properties that the plan fails, but no proper subset of its faults
  bool complete() const { return tried == subsets && !smaller; }
};

// Plays small subsets first, then larger ones, at most `most_runs` of them.
Certificate certify(const Judge& judge, const Scenario& scenario, std::uint64_t seed, Property property,
                    std::uint64_t most_runs);

}  // namespace picklock
