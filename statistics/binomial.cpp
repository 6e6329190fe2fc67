#include "statistics/binomial.hpp"

#include <boost/math/distributions/binomial.hpp>

#include "statistics/intervals.hpp"

namespace picklock {
namespace {

using Binomial = boost::math::binomial_distribution<>;

double as_real(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

double chance_of_at_most(std::uint64_t hits, std::uint64_t trials, double share) {
  return boost::math::cdf(Binomial(as_real(trials), share), as_real(hits));
}

double chance_of_at_least(std::uint64_t hits, std::uint64_t trials, double share) {
  if (hits == 0) return 1;
  return boost::math::cdf(boost::math::complement(Binomial(as_real(trials), share), as_real(hits - 1)));
}

ShareInterval clopper_pearson(std::uint64_t hits, std::uint64_t trials) {
  constexpr double kOneSide = 0.025;  // 95 % lie between two sides of this size
  if (trials == 0) return {};
  const double n = as_real(trials), k = as_real(hits);
  return {Binomial::find_lower_bound_on_p(n, k, kOneSide), Binomial::find_upper_bound_on_p(n, k, kOneSide)};
}

}  // namespace picklock
