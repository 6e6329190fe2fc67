// Conditional Monte Carlo over one named draw: its law is integrated exactly, everything else is sampled.
//
// For each seed, all other draws being fixed, runs with other values of this draw find by bisection from which value on they
// violate the property.  The seed then stands for the probability that the draw's law gives to those values, and
// the estimate is the mean over seeds.  It needs a draw in which the outcome is monotone: values between are tried
// at random, and one that contradicts refuses the whole estimate.  It also needs that no other draw decides alone: else a
// run in which that one does is as rare as before, is not met, and is missing from the mean.
//
// Source: S. Asmussen, K. Kroese, Advances in Applied Probability 38 (2006) 545–558.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "instruments/estimate/trajectory.hpp"
#include "statistics/samples.hpp"

namespace picklock {

struct ConditionalOptions {
  Property property = Property::mutual_exclusion;
  std::uint64_t seed = 1;  // seed of the first sample
  std::uint64_t samples = 400;
  unsigned jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // samples; from one thread at a time
};

// The draws that can decide alone: an extreme value of one of them, of a tail below 1e-15, makes a run violate the property
// that holds otherwise.
struct Deciders {
  std::vector<std::string> names;       // sorted
  std::vector<std::string> not_in_all;  // names absent from the runs of some seeds
  std::uint64_t tried = 0;              // draws of all seeds that were looked at
  bool too_many = false;                // true: more draws than may be tried, so nothing is known
  Effort effort;
  std::string error;
};
Deciders find_deciders(RunnerPool& pool, const ConditionalOptions& options, std::uint64_t most_runs = 20'000);

struct Conditional {
  std::string refusal;                   // reason for no result; empty: the fields below count
  std::string draw, law;                 // the draw and its law in words
  std::vector<double> values;            // probability of a violation given all other draws, by seed
  std::uint64_t absent = 0;              // seeds whose run has no such draw
  std::int64_t least = 0, greatest = 0;  // values from which on seeds violate: the least and the greatest
  bool falling = false;                  // true: small values violate; false: large ones
  Effort effort;
  std::optional<Trajectory> rare;  // the seed that gives most: its draw at the edge
  std::string error;
};
Conditional estimate_by_condition(RunnerPool& pool, const std::string& draw, const ConditionalOptions& options);

}  // namespace picklock
