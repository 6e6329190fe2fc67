// For tests of several Redis servers in one world: faults at given times.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {

class FaultLab {
 public:
  FaultLab() = default;
  FaultLab(const FaultLab&) = delete;
  FaultLab& operator=(const FaultLab&) = delete;

  using Act = std::function<void(World&)>;
  void at(Duration when, Act act);  // `when` after the start of the run
  // Separates `island` from all other nodes; returns the rules for heal().  Fate::hold delivers after healing what was
  // sent meanwhile, as a proxy does.
  std::vector<std::uint32_t> cut(const std::vector<NodeId>& island, Fate fate = Fate::drop);
  void heal(const std::vector<std::uint32_t>& rules);
  void run_until(Duration when) { world.run({.until = TrueTime{} + when}); }
  Duration now() const { return world.now() - TrueTime{}; }

  World world;

 protected:
  ~FaultLab() = default;
  void begin_world(std::uint64_t seed);

 private:
  std::deque<Act> acts_;
};

}  // namespace picklock
