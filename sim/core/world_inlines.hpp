// Code that runs at almost every event of a world.  Its parts reach each other through the world, so this code stands
// behind it; it is inlined for speed.  Included by world.hpp alone.
#pragma once

#include <algorithm>

#include "sim/core/world.hpp"

namespace picklock {

// --- timers --------------------------------------------------------------------------------------

inline SlotId Timers::open(SlotKind kind, NodeId n, void* target, const char* what) {
  const SlotId id = world_.scheduler.open(kind, n, target);
  Slot& s = world_.scheduler[id];
  s.root = world_.tasks.current_root();
  s.what = what;
  return id;
}

inline void Timers::arm(SlotId id, MonoTime due) {
  Slot& s = world_.scheduler[id];
  s.due = due.ns;
  world_.scheduler.schedule(id, std::max(world_.nodes.clock(s.node).when(due), world_.now()));
}

[[gnu::always_inline]] inline void Timers::arm_timeout(SlotId id, Duration time) {
  Slot& s = world_.scheduler[id];
  const Clock& clock = world_.nodes.clock(s.node);
  const MonoTime due = clock.monotonic(world_.now()) + time;
  s.due = due.ns;
  world_.scheduler.schedule_timeout(id, std::max(clock.when(due), world_.now()));
}

inline void Timers::rest(SlotId id) {
  Slot& s = world_.scheduler[id];
  s.target = nullptr;
  if (s.key != 0) world_.scheduler.cancel(id);
}

inline void Timers::rest_timer(SlotId id) {
  Slot& s = world_.scheduler[id];
  s.target = nullptr;
  if (s.key >= Scheduler::kParked && s.key != Scheduler::kFrozen) s.key = 0;  // it was due while the task was stopped
}

inline void Timers::wait_again(SlotId id, std::coroutine_handle<> me) { world_.scheduler[id].target = me.address(); }

inline bool Timers::is_set(SlotId timer, MonoTime due) const {
  const Slot& s = world_.scheduler[timer];
  return s.key != 0 && s.due == due.ns;
}

inline void Timers::wait_again_until(SlotId timer, std::coroutine_handle<> me, MonoTime due) {
  wait_again(timer, me);
  if (is_set(timer, due)) return;
  world_.scheduler.cancel(timer);
  arm(timer, due);
}

// --- tasks ---------------------------------------------------------------------------------------

inline MonoTime Tasks::monotonic_now(NodeId n) const { return world_.nodes.clock(n).monotonic(world_.now()); }
inline WallTime Tasks::wall_now(NodeId n) const { return world_.nodes.clock(n).wall(world_.now()); }

inline WaitId Tasks::wait(NodeId n, std::coroutine_handle<> me, const char* what) {
  return world_.timers.open(SlotKind::wait, n, me.address(), what);
}

inline WaitId Tasks::wait_until(NodeId n, std::coroutine_handle<> me, MonoTime due, const char* what) {
  const SlotId id = world_.timers.open(SlotKind::timer, n, me.address(), what);
  world_.timers.arm(id, due);
  return id;
}

inline void Tasks::wake(WaitId id) {
  if (!world_.scheduler.is_scheduled(id)) world_.scheduler.schedule(id, world_.now());
}

inline void Tasks::release(WaitId id) noexcept { world_.scheduler.close(id); }

inline bool Tasks::is_stopped(NodeId node, std::uint32_t root) const {
  const Nodes::Node& n = world_.nodes[node];
  return !n.unhindered && (n.is_stopped() || roots_[root].stops != 0);
}

[[gnu::always_inline]] inline bool Tasks::passes_unseen(NodeId node, Mark m) const {
  const Nodes::Node& n = world_.nodes[node];
  const bool seen = world_.trace.records_fully() || (n.armed_marks >> (m.id % 64) & 1) != 0;
  return !seen && n.unhindered;
}

inline void Tasks::execute(std::uint32_t root, std::coroutine_handle<> coroutine) {
  PICKLOCK_CHECK(executing_ == 0);
  executing_ = current_ = root;
  Runtime::run(coroutine);
  executing_ = 0;
  if (finished_ != nullptr) reap();
  current_ = 0;
}

inline void Tasks::ready(SlotId id) {
  const Slot& s = world_.scheduler[id];
  if (is_stopped(s)) {
    world_.timers.park(id);
  } else if (s.kind == SlotKind::exchange || world_.lives.are_kept() || roots_[s.root].first_step == id) {
    go_on(id);
  } else {
    execute(s.root, std::coroutine_handle<>::from_address(s.target));
  }
}

}  // namespace picklock
