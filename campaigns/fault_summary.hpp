// The courses of one fault of a plan, summed over many runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "scenarios/run/faults_played.hpp"

namespace picklock {

struct FaultSummary {
  std::uint64_t runs = 0, struck = 0;
  std::uint64_t cut_off = 0;                  // runs in which the end of the load ended it before its length was over
  std::optional<Duration> shortest, longest;  // durations over runs in which it lasted and ended, for whatever reason

  // Runs in which it was not injected, or found nothing to disturb.
  std::uint64_t idle() const { return runs - struck; }
  void add(const FaultCourse& course, const FaultsPlayed& all);
  void add(const FaultSummary& other);
  bool operator==(const FaultSummary&) const = default;
};

// One summary for each fault of the plan.  An empty list takes the size of what is added.
using FaultSummaries = std::vector<FaultSummary>;
void add(FaultSummaries& sum, const FaultsPlayed& run);
void add(FaultSummaries& sum, const FaultSummaries& other);

}  // namespace picklock
