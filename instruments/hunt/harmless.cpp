#include "instruments/hunt/harmless.hpp"

#include <utility>

namespace picklock {

PlanOutcome play_what_spares_the_twin(const Judge& judge, Scenario& drawn, std::uint64_t seed) {
  // Enough for one or two faults of ten; a plan of which more harm the twin is not worth its runs.
  constexpr std::uint32_t kMostRuns = 8;
  PlanOutcome outcome = judge.play(drawn, seed);
  if (!outcome.harms_twin) return outcome;
  Scenario rest = drawn;
  FaultPlan& kept = rest.faults;
  std::size_t spares = 0;  // number of leading faults that do the twin no harm
  const auto harms = [&](std::size_t first) {
    Scenario part = rest;
    part.faults.resize(first);
    ++outcome.runs;
    return judge.harms_twin(part, seed, *outcome.harms_twin);
  };
  do {
    // The smallest number of them that harms it: the last of these is left out.
    std::size_t harm = kept.size();
    while (spares + 1 < harm && outcome.runs < kMostRuns) {
      const std::size_t middle = spares + (harm - spares) / 2;
      (harms(middle) ? harm : spares) = middle;
    }
    if (kept.empty() || outcome.runs >= kMostRuns) return outcome;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(harm) - 1);
    spares = harm - 1;
  } while (harms(kept.size()));
  PlanOutcome without = judge.play(rest, seed);
  without.runs += outcome.runs;
  drawn = std::move(rest);
  return without;
}

}  // namespace picklock
