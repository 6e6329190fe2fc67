#include "reports/run/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "reports/run/record_words.hpp"

namespace picklock {
namespace {

void leave_out(const std::set<std::size_t>& places, std::vector<StoryLine>& story) {
  std::size_t at = 0;
  std::erase_if(story, [&](const StoryLine&) { return places.contains(at++); });
}

// Places of a hold's lines from the one that tells the client of it to its last; empty: the round is not calm.
std::vector<std::size_t> calm_steps(const std::vector<StoryLine>& story, const std::vector<std::size_t>& lines) {
  std::vector<std::size_t> steps;
  std::size_t ends = 0;
  for (const std::size_t place : lines) {
    const RoundStep step = story[place].step;
    if (step == RoundStep::unusual) return {};
    if (step == RoundStep::before && ends == 0) continue;
    if (step == RoundStep::before) return {};
    // The steps come in this order, each once but for the work.
    if ((step == RoundStep::begins) != steps.empty()) return {};
    if (step == RoundStep::works && ends > 0) return {};
    ends += step == RoundStep::ends;
    steps.push_back(place);
  }
  return ends == 3 ? steps : std::vector<std::size_t>{};
}

bool is_disturbed(const History& h, const Lanes& lanes, HoldId hold, std::int64_t from, std::int64_t until) {
  const bool conflict = std::any_of(lanes.overlaps.begin(), lanes.overlaps.end(),
                                    [&](const Overlap& o) { return o.from < until && o.until > from; });
  return conflict || std::any_of(h.processes.begin(), h.processes.end(), [&](const ProcessEvent& e) {
           return e.client == h.holds[hold].client && e.time >= from && e.time <= until;
         });
}

}  // namespace

// The first and the last renewal of a hold stay; a change by less than a hundredth of the lease goes.
void fold_renewals(std::vector<StoryLine>& story) {
  std::erase_if(story, [](const StoryLine& s) { return s.small; });
  std::map<std::pair<HoldId, HoldId>, std::vector<std::size_t>> renewals;  // key: the hold, and the hold that renews it
  for (std::size_t i = 0; i < story.size(); ++i) {
    if (story[i].renewal_of != kNoHold) renewals[{story[i].renewal_of, story[i].renewed_by}].push_back(i);
  }
  std::set<std::size_t> gone;
  for (const auto& [hold, places] : renewals) {
    if (places.size() < 4) continue;
    gone.insert(places.begin() + 1, places.end() - 1);
    story[places.back()].text += fmt::format(" (renewal {} of this hold; --all shows each)", places.size());
  }
  leave_out(gone, story);
}

bool fold_rounds(const History& history, const Lanes& lanes, std::vector<StoryLine>& story) {
  std::map<HoldId, std::vector<std::size_t>> lines;
  for (std::size_t i = 0; i < story.size(); ++i) {
    if (story[i].hold != kNoHold) lines[story[i].hold].push_back(i);
  }
  std::set<std::size_t> gone;
  for (const auto& [hold, places] : lines) {
    const std::vector<std::size_t> steps = calm_steps(story, places);
    if (steps.empty()) continue;
    StoryLine& first = story[steps.front()];
    const StoryLine& last = story[steps.back()];
    if (is_disturbed(history, lanes, hold, first.time, last.time)) continue;
    first.text += fmt::format(", and gives it back by {}", in_tenths(last.time));
    gone.insert(steps.begin() + 1, steps.end());
  }
  leave_out(gone, story);
  return !gone.empty();
}

}  // namespace picklock
