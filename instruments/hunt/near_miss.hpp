// Near misses: runs that came close to a failure, and plans drawn around those that came closest.
#pragma once

#include <cstdint>
#include <vector>

#include "instruments/hunt/strategy.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/result.hpp"

namespace picklock {

// Closeness to a failure, in millionths: for each assumption of the lock the part of its limit that was used up, and the
// part of a lease that was over when a client stopped believing in it. A limit that is passed counts as used up.
std::int64_t closeness(const RunResult& result);

// Instants at which beliefs began and ended: where a run may go on otherwise.
std::vector<std::int64_t> turning_points(const RunResult& result);

// The plans of a hunt that came closest, and the next ones around them.  Changes between rounds alone.
class NearMisses {
 public:
  static constexpr std::size_t kMost = 32;

  struct Plan {
    Scenario scenario;
    std::uint64_t seed = 1;
  };

  void note(const Plan& plan, std::int64_t closeness, std::vector<std::int64_t> turning_points);
  bool empty() const { return kept_.empty(); }
  std::size_t size() const { return kept_.size(); }
  // The plan of this number: every other one is a kept one with some of its faults drawn anew, the rest are drawn by
  // strategy many.
  Plan draw(const HuntSpace& space, const Aim& aim, std::uint64_t hunt_seed, std::uint64_t plan) const;
  // Draws a kept plan that goes on with other draws from one of its turning points: a recipe of reseeds, which
  // grows while its runs come closer.
  Plan draw_recipe(const HuntSpace& space, const Aim& aim, std::uint64_t hunt_seed, std::uint64_t plan) const;

 private:
  struct Kept {
    Plan plan;
    std::int64_t closeness = 0;
    std::vector<std::int64_t> turning_points;
  };
  std::vector<Kept> kept_;  // the closest first
};

}  // namespace picklock
