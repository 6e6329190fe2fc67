// The world: one simulated distributed system and its one true time.
//
// A run is a pure function of its inputs.  Every event goes through one queue, every random value through
// a named draw, and a digest over the trace tells two runs apart.  A world is reset and used again, so
// that a run allocates next to nothing.
//
//   World world;
//   world.reset(seed);
//   const NodeId a = world.nodes.add("a");
//   world.tasks.start(a, "main", client(world.host(a)));
//   world.run({.until = TrueTime{} + seconds(10)});
//
// The world owns its parts and runs them; each part has a header of its own.
#pragma once

#include "base/check.hpp"
#include "sim/core/actions.hpp"
#include "sim/core/channels.hpp"
#include "sim/core/drawn_waits.hpp"
#include "sim/core/draws.hpp"
#include "sim/core/faulting.hpp"
#include "sim/core/lives.hpp"
#include "sim/core/network.hpp"
#include "sim/core/nodes.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/core/tasks.hpp"
#include "sim/core/timers.hpp"
#include "sim/core/trace.hpp"
#include "sim/task/exchange.hpp"

namespace picklock {

enum class RunEnd : std::uint8_t {
  quiescent,  // nothing is left that could happen
  stopped,    // stop() was called
  time,       // the limit of true time was reached
  budget,     // the limit of events was reached: every verdict is undecided
  livelock,   // a million events without time advancing: an error of the simulation
  exhausted   // the world has no room for more of what exhausted() names: an error of the simulation
};

struct RunLimits {
  TrueTime until = kNever;
  std::uint64_t events = UINT64_MAX;
};

class World final {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Makes the world as new, with its laws, rules and overrides.  Only the switches of trace and draws stay.
  void reset(std::uint64_t seed);
  void install(NodeId n, Program& program);  // boots it now, and again after each restart
  Host host(NodeId n) { return Host(tasks, n); }

  RunEnd run(const RunLimits& limits = {});
  void stop() { progress_.stops = true; }  // run() returns after the event that fires now
  // The same, and for good: there is no room for more of `what`.
  void run_out_of(const char* what);
  const char* exhausted() const { return progress_.exhausted; }  // null: nothing
  TrueTime now() const { return now_; }
  TrueTime next_event() const { return scheduler.empty() ? kNever : scheduler.next_time(); }
  std::uint64_t events() const { return progress_.events; }
  // From now on all draws have other values.
  void reseed(std::uint64_t seed);

  [[gnu::always_inline]] void record(TraceKind kind, NodeId n, std::uint32_t a = 0, std::uint64_t b = 0,
                                     std::uint64_t c = 0) {
    const bool is_kept = (kind & kJournal) != 0 || trace.records_fully();
    if (is_kept) trace.add({now_.ns, kind, n, a, b, c});
  }
  std::uint64_t fingerprint() const;
  std::size_t bytes_reserved() const;

  Trace trace;
  Draws draws;
  Scheduler scheduler;
  Tasks tasks{*this};
  Nodes nodes;
  Timers timers{*this};
  DrawnWaits drawn_waits{*this};
  Actions actions{*this};
  Faults faults{*this};
  Network network{*this};
  Channels channels{*this};
  Lives lives{*this};

 private:
  struct Progress {
    std::uint64_t events = 0;
    std::uint32_t same_instant = 0;
    bool stops = false;
    const char* exhausted = nullptr;
  };

  void clear();
  void fire(SlotId id);
  RunEnd end_of_run(const RunLimits& limits);  // reason why no more events fire

  TrueTime now_;
  Progress progress_;
};

}  // namespace picklock

#include "sim/core/world_inlines.hpp"
