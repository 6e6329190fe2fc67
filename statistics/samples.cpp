#include "statistics/samples.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace picklock {
namespace {

double as_count(std::size_t n) { return static_cast<double>(n); }

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * as_count(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - as_count(below));
}

}  // namespace

Sample sample_of(const std::vector<double>& values) {
  Sample s;
  s.count = values.size();
  if (values.empty()) return s;
  s.mean = sum_of(values) / as_count(s.count);
  double squares = 0;
  for (const double v : values) squares += (v - s.mean) * (v - s.mean);
  s.deviation = s.count > 1 ? std::sqrt(squares / as_count(s.count - 1)) : 0;
  return s;
}

Estimate student_interval(const std::vector<double>& values) {
  PICKLOCK_CHECK(values.size() >= 2);
  const Sample s = sample_of(values);
  const boost::math::students_t_distribution<> t(as_count(s.count - 1));
  const double radius = boost::math::quantile(t, 0.975) * s.deviation / std::sqrt(as_count(s.count));
  return {s.mean, std::max(0.0, s.mean - radius), s.mean + radius};
}

Estimate bootstrap_interval(const std::vector<double>& values, std::uint32_t rounds) {
  const Sample s = sample_of(values);
  const double error = s.deviation / std::sqrt(as_count(s.count));
  if (error <= 0) return {s.mean, s.mean, s.mean};
  std::vector<double> ts;
  std::vector<double> again(values.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < again.size(); ++i)
      again[i] = values[mix(mix(round, i), std::uint64_t{0x626f6f74}) % values.size()];
    const Sample other = sample_of(again);
    if (other.deviation <= 0) continue;
    ts.push_back((other.mean - s.mean) / (other.deviation / std::sqrt(as_count(other.count))));
  }
  if (ts.size() < rounds / 2) return student_interval(values);
  std::sort(ts.begin(), ts.end());
  return {s.mean, std::max(0.0, s.mean - quantile_of(ts, 0.975) * error),
          std::max(s.mean, s.mean - quantile_of(ts, 0.025) * error)};
}

Estimate skewed_interval(const std::vector<double>& values, std::uint32_t rounds) {
  const Estimate student = student_interval(values), bootstrap = bootstrap_interval(values, rounds);
  return {student.value, std::min(student.low, bootstrap.low), std::max(student.high, bootstrap.high)};
}

double largest_share(const std::vector<double>& values) {
  const double sum = sum_of(values);
  return sum > 0 ? *std::max_element(values.begin(), values.end()) / sum : 0;
}

double effective_count(const std::vector<double>& values) {
  const double sum = sum_of(values);
  double squares = 0;
  for (const double v : values) squares += v * v;
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace picklock
