#include "sim/core/pace.hpp"

#include <algorithm>

namespace picklock {
namespace {

Pace*& current() {
  static Pace* pace = nullptr;
  return pace;
}

}  // namespace

RunEnd run_paced(World& world, const RunLimits& limits, Pace& pace) {
  while (true) {
    const TrueTime now = pace.wait(std::min(world.next_event(), limits.until));
    const RunEnd end = world.run({std::min(std::max(now, world.now()), limits.until), limits.events});
    if (end != RunEnd::time && end != RunEnd::quiescent) return end;
    pace.exchange(world);
    if (world.now() >= limits.until && world.next_event() > limits.until) return end;
  }
}

void set_pace(Pace* pace) { current() = pace; }
Pace* pace() { return current(); }

}  // namespace picklock
