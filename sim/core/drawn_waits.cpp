#include "sim/core/drawn_waits.hpp"

#include "sim/core/world.hpp"

namespace picklock {

void DrawnWaits::reset() {
  waits_.clear();
  reveals_ = false;
}

void DrawnWaits::note(SlotId id, Purpose purpose, const Law& law, Duration drawn) {
  if (!reveals_ || law.kind() == Law::Kind::constant) return;
  const Tasks::Root& r = world_.tasks.current();
  waits_.push_back({id, r.entity, r.operation, purpose, r.draws[static_cast<std::size_t>(purpose)], &law, drawn});
  world_.scheduler[id].argument = static_cast<std::uint32_t>(waits_.size());
}

// A wait is over that has fired, or that is parked until its stopped process goes on.
void DrawnWaits::redraw() {
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    DrawnWait& w = waits_[i];
    Slot& s = world_.scheduler[w.slot];
    if ((s.kind != SlotKind::work && s.kind != SlotKind::timer) || s.argument != i + 1) continue;
    const bool suspended = s.key == Scheduler::kSuspended;
    if (!suspended && !world_.scheduler.is_scheduled(w.slot) && s.key != Scheduler::kFrozen) continue;
    const MonoTime now = world_.tasks.monotonic_now(s.node);
    const std::int64_t left = suspended ? s.due : s.due - now.ns;
    if (left <= 0) continue;
    const std::int64_t over = w.drawn.ns - left;
    const std::int64_t drawn =
        world_.draws.redraw(world_.now(), w.entity, w.purpose, w.operation, w.n, *w.law, over, w.drawn.ns);
    w.drawn = {drawn};
    if (suspended) {
      s.due = drawn - over;
      continue;
    }
    world_.scheduler.cancel(w.slot);
    world_.timers.arm(w.slot, now + Duration{drawn - over});
  }
}

}  // namespace picklock
