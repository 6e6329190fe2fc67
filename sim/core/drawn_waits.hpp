// The waits whose length was drawn.  A re-seeding draws the rest of each again, given how long it has lasted.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/draws.hpp"
#include "sim/core/scheduler.hpp"

namespace picklock {

class World;

class DrawnWaits {
 public:
  explicit DrawnWaits(World& world) : world_(world) {}

  // Before the run: a re-seeding also draws anew the rest of each drawn latency, work and pause between rounds.
  // Faults draw theirs again in faults/armed.hpp.
  void reveal_lengths(bool on) { reveals_ = on; }
  bool reveals_lengths() const { return reveals_; }
  void reset();

  // --- for the world
  void note(SlotId id, Purpose purpose, const Law& law, Duration drawn);  // the running task waits for it in this step
  void redraw();                                                          // draws again after a re-seeding

 private:
  struct DrawnWait {  // its slot's argument is its index + 1
    SlotId slot;
    Entity entity;
    Operation operation;
    Purpose purpose;
    std::uint32_t n;
    const Law* law;
    Duration drawn;
  };

  World& world_;
  std::vector<DrawnWait> waits_;
  bool reveals_ = false;
};

}  // namespace picklock
