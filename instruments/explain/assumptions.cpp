#include "instruments/explain/assumptions.hpp"

#include <algorithm>

namespace picklock {
namespace {

std::size_t number_of_edits(const Trial& t) { return t.edits.set.size() + t.edits.without.size(); }

}  // namespace

Assumptions assumptions_of(const Experiments& experiments, const Trial& base, Property property) {
  const Observed& here = *experiments.played().at(base);
  Assumptions claims;
  for (const Assessment& a : here.assumptions) {
    if (a.broken() && concerns(a, property)) claims.broken.push_back({a, std::nullopt});
  }
  // The fewest edits first, so that the plainest trial is shown.
  std::vector<std::pair<const Trial*, const Observed*>> trials;
  for (const auto& [trial, seen] : experiments.played()) {
    const bool of_this_lock = seen->lock == here.lock && trial.edits.lock == base.edits.lock;
    if (of_this_lock && trial.scenario == base.scenario && seen->violated(property) && seen->error.empty())
      trials.emplace_back(&trial, seen.get());
  }
  claims.searched = trials.size();
  std::stable_sort(trials.begin(), trials.end(),
                   [](const auto& a, const auto& b) { return number_of_edits(*a.first) < number_of_edits(*b.first); });
  for (const auto& [trial, seen] : trials) {
    const Assessment* broken = nullptr;
    std::size_t number = 0;
    bool known = !seen->assumptions.empty();
    for (const Assessment& a : seen->assumptions) {
      if (concerns(a, property)) known = known && !a.unknown;
      if (!a.broken() || !concerns(a, property)) continue;
      ++number;
      broken = &a;
    }
    if (number == 0 && known && !claims.unprovoked) claims.unprovoked = *trial;
    if (number != 1) continue;
    for (BrokenAssumption& b : claims.broken) {
      const Assumption& it = b.assessment.assumption;
      if (it.kind == broken->assumption.kind && it.needed_by == broken->assumption.needed_by && !b.alone)
        b.alone = *trial;
    }
  }
  return claims;
}

}  // namespace picklock
