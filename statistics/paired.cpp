#include "statistics/paired.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "statistics/binomial.hpp"

namespace picklock {
namespace {

double real(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace

double mcnemar_exact(const PairTable& t) {
  if (t.differing() == 0) return 1;
  return std::min(1.0, 2 * chance_of_at_most(std::min(t.only_a, t.only_b), t.differing(), 0.5));
}

std::optional<Estimate> difference_of_shares(const PairTable& t) {
  if (t.pairs() == 0) return std::nullopt;
  // Half a pair is added to each cell for the interval.
  const double a = real(t.only_a) + 0.5, b = real(t.only_b) + 0.5, n = real(t.pairs()) + 2;
  const double middle = (b - a) / n;
  const double radius = kNormal975 * std::sqrt(a + b - (b - a) * (b - a) / n) / n;
  return Estimate{(real(t.only_b) - real(t.only_a)) / real(t.pairs()), std::max(-1.0, middle - radius),
                  std::min(1.0, middle + radius)};
}

std::optional<Estimate> ratio_of_differing(const PairTable& t) {
  if (t.differing() == 0) return std::nullopt;
  const auto odds = [](double share) {
    return share >= 1 ? std::numeric_limits<double>::infinity() : share / (1 - share);
  };
  const ShareInterval share = clopper_pearson(t.only_b, t.differing());
  return Estimate{odds(real(t.only_b) / real(t.differing())), odds(share.low), odds(share.high)};
}

std::optional<double> gain_of_pairing(const PairTable& t) {
  if (t.pairs() == 0) return std::nullopt;
  const double n = real(t.pairs());
  const double a = real(t.both + t.only_a) / n, b = real(t.both + t.only_b) / n;
  const double apart = a * (1 - a) + b * (1 - b);
  const double paired = apart - 2 * (real(t.both) / n - a * b);
  if (t.differing() == 0 || apart <= 0 || paired <= 0) return std::nullopt;
  return apart / paired;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - rank) * p[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

void PairedDifferences::add(std::int64_t a, std::int64_t b) {
  const Wide difference = Wide{b} - a;
  ++pairs_;
  lower_ += difference < 0;
  higher_ += difference > 0;
  sum_ += difference;
  squares_ += difference * difference;
}

void PairedDifferences::add(const PairedDifferences& other) {
  pairs_ += other.pairs_;
  lower_ += other.lower_;
  higher_ += other.higher_;
  sum_ += other.sum_;
  squares_ += other.squares_;
}

std::optional<Estimate> PairedDifferences::mean() const {
  if (pairs_ < 2) return std::nullopt;
  const double n = real(pairs_);
  const long double sum = static_cast<long double>(sum_);
  const long double rest = static_cast<long double>(squares_) - sum * sum / static_cast<long double>(pairs_);
  const double deviation = std::sqrt(std::max(0.0, static_cast<double>(rest) / (n - 1)));
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  const double mean = static_cast<double>(sum) / n, radius = t * deviation / std::sqrt(n);
  return Estimate{mean, mean - radius, mean + radius};
}

std::string PairedDifferences::text() const {
  return fmt::format("{} {} {} {} {}", pairs_, lower_, higher_, sum_, squares_);
}

PairedDifferences PairedDifferences::of_text(const std::string& text) {
  std::istringstream in(text);
  PairedDifferences d;
  const auto wide = [&]() -> Wide {
    std::string digits;
    in >> digits;
    const bool negative = digits.starts_with('-');
    Wide value = 0;
    for (const char c : digits.substr(negative ? 1 : 0)) {
      if (c < '0' || c > '9') in.setstate(std::ios::failbit);
      value = 10 * value + (c - '0');
    }
    return negative ? -value : value;
  };
  in >> d.pairs_ >> d.lower_ >> d.higher_;
  d.sum_ = wide();
  d.squares_ = wide();
  if (!in || !in.eof()) throw std::runtime_error("found another text than that of paired differences");
  return d;
}

}  // namespace picklock
