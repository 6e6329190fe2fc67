// A comparison of locks, options or variants, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "campaigns/comparison.hpp"

namespace picklock {

// `replays`: for each contestant the command that repeats one seed, but for the seed's number.
std::string comparison_text(const std::vector<Contestant>& contestants, const ComparisonResult& result,
                            const std::vector<std::string>& replays);
std::string comparison_json(const std::vector<Contestant>& contestants, const ComparisonResult& result,
                            const std::vector<std::string>& replays);

}  // namespace picklock
