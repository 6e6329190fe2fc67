// Checkpoints of a run: fingerprints of its world at instants, and when triggers fire.
#pragma once

#include <cstdint>
#include <vector>

#include "faults/plan.hpp"

namespace picklock {

struct Checkpoints {
  std::vector<std::int64_t> instants;  // true time, in their order
  std::vector<Trigger> triggers;       // triggers of events; they change nothing
};

struct Checked {
  // Fingerprint at each instant. 0: the load was over, a fault has not come or is in force, or a machine is down.
  // Two runs of one scenario with one seed and other faults that have the same here have the same future.
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::int64_t> fired;  // index: trigger; kNeverFired
  static constexpr std::int64_t kNeverFired = -1;
};

}  // namespace picklock
