// The lives of processes.  A life is a hash of what the processes of a machine were told since the run began: messages, the
// steps of their tasks by their own clocks, and how processes ended.  Processes are deterministic: equal lives have led to
// equal states.
#pragma once

#include <cstdint>

#include "sim/core/network.hpp"

namespace picklock {

class World;

class Lives {
 public:
  explicit Lives(World& world) : world_(world) {}

  // Before a run.  With lives, World::fingerprint() knows the state of tasks and programs that declare none, and covers the
  // names of draws to come: two runs with one seed that have equal fingerprints at one true time go on alike.
  void keep(bool on) { kept_ = on; }
  bool are_kept() const { return kept_; }
  std::uint64_t of(NodeId n) const;  // if lives are not kept, each value is unique

  // --- for the world
  void hear(NodeId n, const Message& message);
  void go_on(SlotId id);  // the task that waits in this slot

 private:
  World& world_;
  bool kept_ = false;
};

}  // namespace picklock
