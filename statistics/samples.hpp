// Means of independent values and their intervals.
//
// Sources: Student, Biometrika 6 (1908) 1–25; for values that are skewed P. Hall, Annals of Statistics 16 (1988) 927–953:
// the bootstrap of Student's t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "statistics/intervals.hpp"

namespace picklock {

struct Sample {
  double mean = 0;
  double deviation = 0;  // standard deviation of one value
  std::size_t count = 0;
  // Standard deviation of one value, in shares of the mean; 0 if that is 0.
  double relative_deviation() const { return mean > 0 ? deviation / mean : 0; }
};
Sample sample_of(const std::vector<double>& values);

// 95 % intervals of the mean of values that are not negative; at least two values.
Estimate student_interval(const std::vector<double>& values);
// The same for skewed values, by resampling them `rounds` times with draws that depend on nothing else.
Estimate bootstrap_interval(const std::vector<double>& values, std::uint32_t rounds = 4000);
// The wider of both, on each side: thirty skewed values cover less than 95 % by either alone.
Estimate skewed_interval(const std::vector<double>& values, std::uint32_t rounds = 4000);

// The share of the sum that the largest value has; 0 of none.
double largest_share(const std::vector<double>& values);
// Number of equal values that would have the same relative variance of their mean: (sum)^2 / sum of squares.
double effective_count(const std::vector<double>& values);

}  // namespace picklock
