#include "sim/core/world.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace picklock {
namespace {

constexpr std::uint32_t kLivelock = 1'000'000;

}  // namespace

World::World() { reset(0); }

World::~World() { clear(); }

void World::clear() {
  for (NodeId id = 0; id < nodes.count(); ++id) {
    Nodes::Process& process = nodes[id].process;
    tasks.destroy_all(process);
    process.mailbox.inbox.clear();
    process.parked.clear();
  }
  channels.close_all();
  network.reset();
}

void World::reset(std::uint64_t seed) {
  clear();
  scheduler.reset();
  trace.reset();
  draws.reset(seed);
  nodes.reset();
  nodes.add("world");
  tasks.reset();
  timers.reset();
  drawn_waits.reset();
  actions.reset();
  faults.reset();
  channels.reset();
  lives.keep(false);
  now_ = {};
  progress_ = {};
}

void World::install(NodeId n, Program& program) {
  nodes[n].process.program = &program;
  program.boot(*this, n);
}

void World::run_out_of(const char* what) {
  progress_.exhausted = what;
  progress_.stops = true;
}

void World::reseed(std::uint64_t seed) {
  draws.reseed(seed);
  if (!drawn_waits.reveals_lengths()) return;
  network.redraw_latencies();
  drawn_waits.redraw();
}

[[gnu::always_inline]] inline void World::fire(SlotId id) {
  const Slot& s = scheduler[id];
  switch (s.kind) {
    case SlotKind::timer:
      if (s.target == nullptr) return;  // its task does something else
      [[fallthrough]];
    case SlotKind::wait:
    case SlotKind::work:
    case SlotKind::exchange:
      return tasks.ready(id);
    case SlotKind::action:
      return actions.fire(id);
    case SlotKind::wire:  // run() has seen to it
    case SlotKind::free:
      PICKLOCK_CHECK(false);
  }
}

RunEnd World::run(const RunLimits& limits) {
  if (progress_.exhausted != nullptr) return RunEnd::exhausted;
  while (progress_.events < limits.events) {
    const Scheduler::Due due = scheduler.pop_by(limits.until);
    if (due.slot == 0) [[unlikely]]
      break;
    ++progress_.events;
    if (due.at != now_) {
      progress_.same_instant = 0;
      now_ = due.at;
    } else if (++progress_.same_instant > kLivelock) {
      scheduler.schedule(due.slot, due.at);  // it has not fired
      return RunEnd::livelock;
    }
    if (const Slot& s = scheduler[due.slot]; s.kind == SlotKind::wire) {
      network.fire(s.argument);
    } else {
      fire(due.slot);
    }
    if (progress_.stops) [[unlikely]] {
      progress_.stops = false;
      return progress_.exhausted == nullptr ? RunEnd::stopped : RunEnd::exhausted;
    }
  }
  return end_of_run(limits);
}

RunEnd World::end_of_run(const RunLimits& limits) {
  const bool quiescent = scheduler.empty();
  if (!quiescent && scheduler.next_time() <= limits.until) return RunEnd::budget;
  if (limits.until != kNever) now_ = std::max(now_, limits.until);
  return quiescent ? RunEnd::quiescent : RunEnd::time;
}

std::size_t World::bytes_reserved() const {
  return sizeof *this + scheduler.bytes_reserved() + nodes.bytes_reserved() + tasks.bytes_reserved();
}

}  // namespace picklock
