#include "statistics/survival.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/intervals.hpp"

namespace picklock {

std::vector<SurvivalStep> kaplan_meier(const Histogram& violated, const Histogram& censored) {
  std::vector<SurvivalStep> steps;
  std::uint64_t at_risk = violated.count() + censored.count();
  auto end = censored.counts().begin();
  double share = 1, sum = 0;  // Greenwood's
  for (const auto& [time, count] : violated.counts()) {
    for (; end != censored.counts().end() && end->first < time; ++end) at_risk -= end->second;
    const double n = static_cast<double>(at_risk), d = static_cast<double>(count);
    SurvivalStep step{.time = time, .at_risk = at_risk, .violated = count};
    share = at_risk == count ? 0 : share * (1 - d / n);
    sum += at_risk == count ? 0 : d / (n * (n - d));
    step.share = share;
    if (share > 0 && share < 1) {
      const double spread = std::exp(kNormal975 * std::sqrt(sum) / -std::log(share));
      step.low = std::pow(share, spread);
      step.high = std::pow(share, 1 / spread);
    } else {
      step.low = step.high = share;
    }
    at_risk -= count;
    steps.push_back(step);
  }
  return steps;
}

std::optional<std::int64_t> median_survival(const std::vector<SurvivalStep>& steps) {
  const auto half = std::find_if(steps.begin(), steps.end(), [](const SurvivalStep& s) { return s.share <= 0.5; });
  return half == steps.end() ? std::nullopt : std::optional(half->time);
}

}  // namespace picklock
