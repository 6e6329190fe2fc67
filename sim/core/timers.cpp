#include "sim/core/timers.hpp"

#include "sim/core/world.hpp"
#include "sim/task/exchange.hpp"

namespace picklock {

void Timers::park(SlotId id) {
  Slot& s = world_.scheduler[id];
  world_.scheduler.cancel(id);
  s.key = Scheduler::kParked | ++parked_count_;
  world_.nodes[s.node].process.parked.push_back({id, s.key, nullptr, {}});
}

bool Timers::is_armed(SlotId id) const {
  return world_.scheduler.is_scheduled(id) || world_.scheduler[id].key == Scheduler::kFrozen;
}

void Timers::suspend_work(NodeId n) {
  const MonoTime now = world_.tasks.monotonic_now(n);
  for (SlotId id = 1; id < world_.scheduler.slot_count(); ++id) {
    Slot& s = world_.scheduler[id];
    if (s.kind != SlotKind::work || s.node != n || !world_.tasks.is_stopped(s)) continue;
    if (!is_armed(id)) continue;
    const std::int64_t left = s.due - now.ns;
    world_.scheduler.cancel(id);
    s.key = Scheduler::kSuspended;
    s.due = left;
  }
}

void Timers::resume_work(NodeId n) {
  const MonoTime now = world_.tasks.monotonic_now(n);
  if (world_.nodes.paused(n)) return;
  for (SlotId id = 1; id < world_.scheduler.slot_count(); ++id) {
    Slot& s = world_.scheduler[id];
    if (s.key != Scheduler::kSuspended || s.kind != SlotKind::work || s.node != n) continue;
    if (world_.tasks[s.root].stops != 0) continue;
    s.key = 0;
    arm(id, now + Duration{s.due});
  }
}

void Timers::rearm(NodeId n) {
  for (SlotId id = 1; id < world_.scheduler.slot_count(); ++id) {
    Slot& s = world_.scheduler[id];
    if (s.node != n || (s.kind != SlotKind::timer && s.kind != SlotKind::work && s.kind != SlotKind::exchange)) {
      continue;
    }
    if (!is_armed(id)) continue;
    if (s.kind == SlotKind::exchange) {  // a timeout that has ended is an ordinary wait
      const auto state = static_cast<Exchange*>(s.target)->state;
      if (state != Exchange::State::waiting && state != Exchange::State::connecting) continue;
    }
    world_.scheduler.cancel(id);
    arm(id, MonoTime{s.due});
  }
}

}  // namespace picklock
