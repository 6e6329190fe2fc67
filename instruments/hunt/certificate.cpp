#include "instruments/hunt/certificate.hpp"

#include <algorithm>
#include <set>

namespace picklock {
namespace {

// Goes through the choices of `size` of `all` places in order; false: this was the last one.
bool next_choice(std::vector<std::size_t>& chosen, std::size_t all) {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (chosen[i] + (chosen.size() - i) >= all) continue;
    ++chosen[i];
    for (std::size_t k = i + 1; k < chosen.size(); ++k) chosen[k] = chosen[k - 1] + 1;
    return true;
  }
  return false;
}

}  // namespace

Certificate certify(const Judge& judge, const Scenario& scenario, std::uint64_t seed, Property property,
                    std::uint64_t most_runs) {
  const FaultPlan& faults = scenario.faults;
  Certificate c;
  c.subsets = (std::uint64_t{1} << faults.size()) - 1;
  std::set<Property> by_less;
  Scenario part = scenario;
  for (std::size_t size = 0; size < faults.size(); ++size) {
    std::vector<std::size_t> chosen(size);
    for (std::size_t i = 0; i < size; ++i) chosen[i] = i;
    do {
      if (c.tried >= most_runs) return c;
      part.faults.clear();
      for (const std::size_t i : chosen) part.faults.push_back(faults[i]);
      ++c.tried;
      const PlanOutcome outcome = judge.play(part, seed);
      if (const Failure* const failure = outcome.failure_of(property)) {
        c.smaller = *failure;
        c.smaller_faults = std::move(part.faults);
        return c;
      }
      for (const Failure& f : outcome.failures) by_less.insert(f.property);
    } while (next_choice(chosen, faults.size()));
  }
  for (const Failure& f : judge.play(scenario, seed).failures) {
    if (f.property != property && !by_less.contains(f.property)) c.also.push_back(f.property);
  }
  return c;
}

}  // namespace picklock
