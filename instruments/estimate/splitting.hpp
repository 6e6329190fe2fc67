// Multilevel splitting with fixed effort: a rare violation as a product of frequent steps.
//
// Levels stand between the start of a run and its violation (ascent.hpp).  A pilot chooses them, so that about a fifth of the
// runs that reach one level reach the next; then they are frozen.  Each stage plays the same number of trajectories; those
// of stage i branch off where trajectories of stage i - 1 first reached level i, each such entry used equally often, and
// draw everything anew from there, also what is left of lengths that are running.  With R[i] of N that reach the next
// level, and V[i] that do not but end in a violation all the same,
//
//   p = sum over i of  R[0]/N · … · R[i-1]/N · V[i]/N      (the last stage has no next level: V counts all violations)
//
// is unbiased for any levels.  Independent replications give the interval.
//
// Sources: M. Garvels, D. Kroese, Winter Simulation Conference 1998; P. L'Ecuyer, V. Demers, B. Tuffin, ACM TOMACS 17
// (2007), for fixed effort.  F. Cérou, A. Guyader, Stochastic Analysis and Applications 25 (2007), for levels from quantiles.
#pragma once

#include <atomic>
#include <functional>

#include "instruments/estimate/ascent.hpp"
#include "instruments/estimate/trajectory.hpp"
#include "statistics/samples.hpp"

namespace picklock {

struct SplittingOptions {
  Property property = Property::mutual_exclusion;
  std::uint64_t seed = 1;
  std::uint32_t trajectories = 1000;  // trajectories in each stage
  std::uint32_t replications = 30;    // least number of replications
  unsigned jobs = 1;
  bool redraws_lengths = true;              // false: a broken twin (DrawChanges)
  const std::atomic<bool>* stop = nullptr;  // flag set from outside: the result is to be thrown away
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;  // replications; from one thread at a time
};

struct SplittingStage {
  std::uint64_t trajectories = 0, reached = 0;  // trajectories, and how many reached the next level
  std::uint64_t violated = 0;                   // violations without reaching it; in the last stage: all
  SplittingStage& operator+=(const SplittingStage& other) {
    trajectories += other.trajectories;
    reached += other.reached;
    violated += other.violated;
    return *this;
  }
};

struct Splitting {
  std::string refusal;                 // reason for no estimate; empty: the fields below count
  std::vector<Level> levels;           // ascending
  std::vector<SplittingStage> stages;  // stages over all replications; one more than levels
  std::vector<double> values;          // estimates of p, one for each replication
  Effort pilot, effort;                // effort of the pilot, and of the replications
  // First trajectories from which some violation descends, and replications that have one.
  std::uint64_t ancestors = 0, replications_with_any = 0;
  std::optional<Trajectory> rare;  // trajectory that ends in a violation
  std::string error;               // error of the simulation itself
};

inline constexpr std::uint64_t kFewestAncestors = 5;

Splitting estimate_by_splitting(RunnerPool& pool, const SplittingOptions& options);

}  // namespace picklock
