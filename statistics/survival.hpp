// Time to the first violation, with runs that ended before they had one.
//
// A run without a violation says only that none came until its end: it is *censored*. Leaving such runs out would make a
// lock look worse the rarer it fails. Sources: E. Kaplan, P. Meier, JASA 53 (1958) 457–481; M. Greenwood's variance (1926);
// the interval is that of log(-log S), J. Kalbfleisch, R. Prentice (1980).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "statistics/histogram.hpp"

namespace picklock {

// Step that holds from this time until the next step.
struct SurvivalStep {
  std::int64_t time = 0;
  std::uint64_t at_risk = 0;  // runs that were neither violated nor at their end before
  std::uint64_t violated = 0;
  double share = 1;          // estimated share of runs without a violation until `time`
  double low = 0, high = 1;  // 95 %
};

// Steps at each time of a violation. Times of one class count as equal; ends at a time of violations come after them.
std::vector<SurvivalStep> kaplan_meier(const Histogram& violated, const Histogram& censored);

// The time from which on at most half of the runs have no violation; nothing if more than half never had one.
std::optional<std::int64_t> median_survival(const std::vector<SurvivalStep>& steps);

}  // namespace picklock
