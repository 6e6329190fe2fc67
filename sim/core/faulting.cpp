// The faults that a world offers: stopping, ending and restarting processes and hosts, and clocks.

#include <algorithm>
#include <utility>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"
#include "sim/task/check.hpp"

namespace picklock {

// --- stopping ------------------------------------------------------------------------------------

void World::park(SlotId id) {
  Slot& s = scheduler_[id];
  scheduler_.cancel(id);
  s.key = Scheduler::kParked | ++parked_count_;
  nodes_[s.node].parked.push_back({id, s.key, {}});
}

void World::park(Message message, NodeId n) { nodes_[n].parked.push_back({0, 0, std::move(message)}); }

std::uint32_t World::pause(NodeId id) {
  Node& n = nodes_[id];
  if (n.alive && ++n.pauses == 1) {
    record(trace::process_paused, id);
    suspend_work(id);
  }
  return n.incarnation;
}

void World::resume(NodeId id, std::uint32_t incarnation) {
  Node& n = nodes_[id];
  if (!n.alive || n.incarnation != incarnation || n.pauses == 0 || --n.pauses != 0) return;
  record(trace::process_continued, id, 0, n.parked.size());
  resume_work(id);
  drain(id);
}

void World::pause_task(NodeId id, std::string_view task) {
  Node& n = nodes_[id];
  const std::uint64_t name = hash_of(task);
  n.stopped_names.push_back(name);
  record(trace::task_paused, id, 0, name);
  for (const std::uint32_t root : n.roots) roots_[root].stops += roots_[root].name_hash == name;
  suspend_work(id);
}

void World::resume_task(NodeId id, std::string_view task) {
  Node& n = nodes_[id];
  const std::uint64_t name = hash_of(task);
  const auto found = std::find(n.stopped_names.begin(), n.stopped_names.end(), name);
  if (found == n.stopped_names.end()) return;
  n.stopped_names.erase(found);
  record(trace::task_continued, id, 0, name);
  for (const std::uint32_t root : n.roots) roots_[root].stops -= roots_[root].name_hash == name;
  resume_work(id);
  drain(id);
}

std::uint32_t World::freeze(NodeId id) {
  Node& n = nodes_[id];
  if (n.powered && ++n.freezes == 1) {
    record(trace::host_frozen, id);
    n.frozen_since = now_;
    n.clock.freeze(now_);
    rearm_timers(id);
  }
  return n.incarnation;
}

void World::thaw(NodeId id, Thaw how, std::uint32_t incarnation) {
  Node& n = nodes_[id];
  if (n.incarnation != incarnation || n.freezes == 0 || --n.freezes != 0) return;
  const Duration frozen = now_ - n.frozen_since;
  record(trace::host_thawed, id, 0, static_cast<std::uint64_t>(frozen.ns), how == Thaw::catches_up);
  n.clock.thaw(now_);
  if (how == Thaw::catches_up) n.clock.step(frozen);
  rearm_timers(id);
  drain(id);
}

// All that came meanwhile, in the order in which it came, or the timers first, or the messages first:
// a draw.  The process may be stopped again half-way; then the rest waits on, ahead of what is new.
void World::drain(NodeId id) {
  if (executing_) {
    return at(now_, {[](World& w, void*, std::uint64_t n) { w.drain(static_cast<NodeId>(n)); }, nullptr, id});
  }
  Node& n = nodes_[id];
  if (n.pauses != 0 || n.freezes != 0 || n.parked.empty()) return;
  PICKLOCK_CHECK(draining_.empty());
  draining_.swap(n.parked);
  if (draining_.size() > 1) {
    static const Law kOrder = Law::uniform(std::int64_t{0}, std::int64_t{2});
    const Operation op{Operation::key_of(n.hash, ++n.continuations), static_cast<std::uint32_t>(id) << 16,
                       n.continuations, 0};
    const Entity who{n.hash, static_cast<std::uint32_t>(id) << 16};
    const std::int64_t order = draws.draw(now_, who, Purpose::timer_order, op, 1, kOrder);
    if (order != 0) {
      std::stable_partition(draining_.begin(), draining_.end(),
                            [&](const Parked& p) { return (p.slot != 0) == (order == 1); });
    }
  }
  const std::uint32_t incarnation = n.incarnation;
  std::size_t i = 0;
  const auto still_runs = [&] {
    const Node& same = nodes_[id];
    return same.incarnation == incarnation && same.pauses == 0 && same.freezes == 0 && !same.doomed;
  };
  for (; i < draining_.size() && still_runs(); ++i) {
    Parked& p = draining_[i];
    if (p.slot == 0) {
      network.deliver_to_process(std::move(p.message));
    } else if (Slot& s = scheduler_[p.slot]; s.key == p.key) {
      s.key = 0;
      ready(p.slot);
    }
  }
  Node& after = nodes_[id];
  if (after.incarnation == incarnation && i < draining_.size()) {
    after.parked.insert(after.parked.begin(), std::make_move_iterator(draining_.begin() + static_cast<std::ptrdiff_t>(i)),
                        std::make_move_iterator(draining_.end()));
  }
  draining_.clear();
}

// Work counts only the time in which its task runs: what is left waits with it.
void World::suspend_work(NodeId id) {
  const MonoTime now = monotonic_now(id);
  for (SlotId slot = 1; slot < scheduler_.slot_count(); ++slot) {
    Slot& s = scheduler_[slot];
    if (s.kind != SlotKind::work || s.node != id || !task_stopped(s)) continue;
    if (!scheduler_.is_scheduled(slot) && s.key != Scheduler::kFrozen) continue;
    const std::int64_t left = s.due - now.ns;
    scheduler_.cancel(slot);
    s.key = Scheduler::kSuspended;
    s.due = left;
  }
}

void World::resume_work(NodeId id) {
  const MonoTime now = monotonic_now(id);
  for (SlotId slot = 1; slot < scheduler_.slot_count(); ++slot) {
    Slot& s = scheduler_[slot];
    if (s.key != Scheduler::kSuspended || s.kind != SlotKind::work || s.node != id) continue;
    const Node& n = nodes_[id];
    if (n.pauses != 0 || roots_[s.root].stops != 0) continue;
    s.key = 0;
    arm(slot, now + Duration{s.due});
  }
}

// --- clocks --------------------------------------------------------------------------------------

// Timers fire at the first true instant at which the local clock has reached them: a change of its
// rate moves them, a step of the wall clock does not.
void World::rearm_timers(NodeId id) {
  for (SlotId slot = 1; slot < scheduler_.slot_count(); ++slot) {
    Slot& s = scheduler_[slot];
    if (s.node != id || (s.kind != SlotKind::timer && s.kind != SlotKind::work && s.kind != SlotKind::exchange)) continue;
    if (!scheduler_.is_scheduled(slot) && s.key != Scheduler::kFrozen) continue;
    if (s.kind == SlotKind::exchange) {  // only while it is a timeout: an ended one just goes on
      const auto state = static_cast<Exchange*>(s.target)->state;
      if (state != Exchange::State::waiting && state != Exchange::State::connecting) continue;
    }
    scheduler_.cancel(slot);
    arm(slot, MonoTime{s.due});
  }
}

void World::set_rate(NodeId id, std::int32_t ppm) {
  record(trace::clock_rate, id, 0, static_cast<std::uint64_t>(ppm));
  nodes_[id].clock.set_rate(now_, std::clamp(ppm, Clock::kLeastPpm, Clock::kMostPpm));
  rearm_timers(id);
}

void World::step_clock(NodeId id, Duration d) {
  record(trace::clock_step, id, 0, static_cast<std::uint64_t>(d.ns));
  nodes_[id].clock.step(d);
}

// --- ending and restarting -----------------------------------------------------------------------

// A process is never destroyed under its own feet: it stops at once, and ends at the same instant by
// an event of the world.
bool World::dies_later(NodeId id, Action action) {
  if (!executing_ || roots_[current_root_].node != id) return false;
  if (!std::exchange(nodes_[id].doomed, true)) at(now_, action);
  return true;
}

void World::kill(NodeId id) {
  if (!nodes_[id].alive) return;
  const Action later{[](World& w, void*, std::uint64_t n) { w.kill(static_cast<NodeId>(n)); }, nullptr, id};
  if (dies_later(id, later)) return;
  network.process_died(id);
  end_process(id, trace::process_killed);
}

void World::lose_power(NodeId id) {
  if (!nodes_[id].powered) return;
  const Action later{[](World& w, void*, std::uint64_t n) { w.lose_power(static_cast<NodeId>(n)); }, nullptr, id};
  if (dies_later(id, later)) return;
  Node& n = nodes_[id];
  end_process(id, trace::power_lost);
  network.host_lost(id);
  n.disk.lose_power();
  n.powered = false;
  if (std::exchange(n.freezes, 0) != 0) n.clock.thaw(now_);
}

void World::end_process(NodeId id, TraceKind how) {
  Node& n = nodes_[id];
  record(how, id, static_cast<std::uint32_t>(n.roots.size()));
  n.alive = n.doomed = false;
  n.pauses = 0;
  ++n.incarnation;
  n.receiver = 0;
  n.stopped_names.clear();
  destroy_roots(n);
  n.inbox.clear();
  n.parked.clear();
  for (std::size_t i = 0; i < used_channels_; ++i) {
    if (channels_[i]->host().node() == id) channels_[i]->process_died();
  }
}

void World::destroy_roots(Node& n) {
  while (!n.roots.empty()) {
    const std::uint32_t id = n.roots.back();
    n.roots.pop_back();
    free_roots_.push_back(id);
    if (roots_[id].first_step != 0) scheduler_.close(std::exchange(roots_[id].first_step, 0));
    roots_[id].promise->self.destroy();
  }
}

void World::restart(NodeId id) {
  Node& n = nodes_[id];
  if (n.alive) return;
  n.powered = n.alive = true;
  record(trace::process_started, id, n.incarnation);
  current_root_ = 0;
  if (n.program != nullptr) n.program->boot(*this, id);
}

}  // namespace picklock
