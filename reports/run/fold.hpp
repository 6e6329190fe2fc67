// Folds a story, unless all is asked for: renewals of a hold, and the steps of calm rounds.
#pragma once

#include <vector>

#include "checker/history.hpp"
#include "reports/run/lanes.hpp"
#include "reports/run/story.hpp"

namespace picklock {

// The first and the last renewal of a hold stay; a change by less than a hundredth of the lease goes.
void fold_renewals(std::vector<StoryLine>& story);

// A round is calm if its hold is told of, works, and is given back, and nothing else: no conflicting hold is believed
// meanwhile, no process of the client stops or dies, no write arrives afterwards. One line of such a round stays, beside those in
// which the client asks and the service grants. True if any was folded.
bool fold_rounds(const History& history, const Lanes& lanes, std::vector<StoryLine>& story);

}  // namespace picklock
