#include "statistics/sequential.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

namespace picklock {
namespace {

const double kLogOfTwenty = std::log(20.0);  // 1 / 5 %
constexpr double kPrior = 0.5;

double log_beta(double a, double b) {
  return boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(a + b);
}

// Evidence against a share: its distance from enough; positive where the sequence excludes the share.
class Evidence {
 public:
  Evidence(std::uint64_t hits, std::uint64_t trials)
      : hits_(static_cast<double>(hits)),
        misses_(static_cast<double>(trials - hits)),
        constant_(log_beta(kPrior + hits_, kPrior + misses_) - log_beta(kPrior, kPrior) - kLogOfTwenty) {}

  double operator()(double share) const {
    double sum = constant_;
    if (hits_ > 0) sum -= hits_ * std::log(share);
    if (misses_ > 0) sum -= misses_ * std::log1p(-share);
    return sum;
  }

 private:
  double hits_, misses_, constant_;
};

}  // namespace

bool excludes(double share, std::uint64_t hits, std::uint64_t trials) {
  return trials > 0 && Evidence(hits, trials)(share) >= 0;
}

double anytime_p(double share, std::uint64_t hits, std::uint64_t trials) {
  return std::min(1.0, std::exp(-(Evidence(hits, trials)(share) + kLogOfTwenty)));
}

ShareInterval confidence_sequence(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return {};
  const Evidence evidence(hits, trials);
  constexpr double kNone = 1e-300;  // log(0) is not a number to search with
  const double middle = std::clamp(static_cast<double>(hits) / static_cast<double>(trials), kNone, 1 - 1e-16);
  const auto root = [&](double low, double high) {
    if (evidence(low) * evidence(high) >= 0) return low == middle ? 1.0 : 0.0;  // nothing is excluded on this side
    std::uintmax_t steps = 200;
    const auto found =
        boost::math::tools::toms748_solve(evidence, low, high, boost::math::tools::eps_tolerance<double>(45), steps);
    return (found.first + found.second) / 2;
  };
  return {hits == 0 ? 0.0 : root(kNone, middle), hits == trials ? 1.0 : root(middle, 1 - 1e-16)};
}

}  // namespace picklock
