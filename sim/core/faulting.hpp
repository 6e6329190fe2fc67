// Faults of the processes, hosts and clocks of a world.
//
//   const std::uint32_t process = world.faults.pause(a);
//   …
//   world.faults.resume(a, process);
//
// A pause stops a process and a freeze a host; stops of one kind nest and are counted.  Each returns a number of the process
// or boot that it stopped; resuming by that number has no effect on a later one.  A fault that is injected from inside the
// process's own coroutines stops it at once; its other effects follow at the same instant.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/nodes.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

class World;

enum class Thaw : std::uint8_t { lags, catches_up };  // effect of a freeze on the wall clock

class Faults {
 public:
  explicit Faults(World& world) : world_(world) {}
  void reset() { last_words_.clear(); }

  std::uint32_t pause(NodeId n);
  void resume(NodeId n, std::uint32_t incarnation);
  void pause_task(NodeId n, std::string_view task);  // pauses tasks of this name that run now or start later
  void resume_task(NodeId n, std::string_view task);
  std::uint32_t freeze(NodeId n);
  void thaw(NodeId n, Thaw how, std::uint32_t boot);
  void kill(NodeId n);
  void lose_power(NodeId n);
  void restart(NodeId n);  // boots the program again; no effect on a living process
  void set_rate(NodeId n, std::int32_t ppm);
  void step_clock(NodeId n, Duration d);

  // Draws for a fault for the n-th time, by the world: not counted.
  std::int64_t draw(std::uint32_t n, const Law& law) const;
  // Draws again after a re-seeding, for a length of `drawn` of which `over` has passed.
  std::int64_t redraw(std::uint32_t n, const Law& law, Duration over, Duration drawn) const;

  // An error of a process itself ends it like a kill, but counts as no fault.
  void panic(NodeId n, const char* why);
  // The last words of a process that panicked, by the hash in its trace record.
  std::string_view last_words(std::uint64_t hash) const;

 private:
  void resume_task(NodeId n, std::uint64_t name);
  void drain(NodeId n);
  bool doom(NodeId n);  // false: it was doomed before
  void end_process(NodeId n, TraceKind how, std::uint64_t why = 0);

  World& world_;
  std::vector<const char*> last_words_;
  std::vector<Parked> draining_;
};

}  // namespace picklock
