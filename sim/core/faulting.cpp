// Faults of a world: it stops, ends and restarts processes and hosts, and changes clocks.

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// --- stopping ------------------------------------------------------------------------------------

void World::park(SlotId id) {
  Slot& s = scheduler_[id];
  scheduler_.cancel(id);
  s.key = Scheduler::kParked | ++parked_count_;
  nodes_[s.node].parked.push_back({id, s.key, nullptr, {}});
}

std::uint32_t World::pause(NodeId id) {
  Node& n = nodes_[id];
  if (n.alive && ++n.pauses == 1) {
    n.note_obstacles();
    record(trace::process_paused, id);
    suspend_work(id);
  }
  return n.incarnation;
}

void World::resume(NodeId id, std::uint32_t incarnation) {
  if (executing_ != 0) {
    return at(now_, {[](World& w, void*, std::uint64_t packed) {
                       w.resume(static_cast<NodeId>(packed), static_cast<std::uint32_t>(packed >> 32));
                     },
                     nullptr, id | std::uint64_t{incarnation} << 32});
  }
  Node& n = nodes_[id];
  if (!n.alive || n.incarnation != incarnation || n.pauses == 0 || --n.pauses != 0) return;
  n.note_obstacles();
  record(trace::process_continued, id, 0, n.parked.size());
  resume_work(id);
  drain(id);
}

void World::pause_task(NodeId id, std::string_view task) {
  Node& n = nodes_[id];
  const std::uint64_t name = hash_of(task);
  n.stopped_names.push_back(name);
  n.note_obstacles();
  record(trace::task_paused, id, 0, name);
  for (const std::uint32_t root : n.roots) roots_[root].stops += roots_[root].name_hash == name;
  suspend_work(id);
}

void World::resume_task(NodeId id, std::string_view task) {
  if (executing_ == 0) return resume_task(id, hash_of(task));
  at(now_, {[](World& w, void*, std::uint64_t packed) {
              w.resume_task(static_cast<NodeId>(packed), w.task_names_[packed >> 32].hash);
            },
            nullptr, id | std::uint64_t{task_name_id(task)} << 32});
}

void World::resume_task(NodeId id, std::uint64_t name) {
  Node& n = nodes_[id];
  const auto found = std::find(n.stopped_names.begin(), n.stopped_names.end(), name);
  if (found == n.stopped_names.end()) return;
  n.stopped_names.erase(found);
  n.note_obstacles();
  record(trace::task_continued, id, 0, name);
  for (const std::uint32_t root : n.roots) roots_[root].stops -= roots_[root].name_hash == name;
  resume_work(id);
  drain(id);
}

std::uint32_t World::freeze(NodeId id) {
  Node& n = nodes_[id];
  if (n.powered && ++n.freezes == 1) {
    n.note_obstacles();
    record(trace::host_frozen, id);
    n.frozen_since = now_;
    n.clock.freeze(now_);
    rearm_timers(id);
  }
  return n.boots;
}

void World::thaw(NodeId id, Thaw how, std::uint32_t boot) {
  if (executing_ != 0) {
    return at(now_, {[](World& w, void* catches_up, std::uint64_t packed) {
                       w.thaw(static_cast<NodeId>(packed), catches_up != nullptr ? Thaw::catches_up : Thaw::lags,
                              static_cast<std::uint32_t>(packed >> 32));
                     },
                     how == Thaw::catches_up ? this : nullptr, id | std::uint64_t{boot} << 32});
  }
  Node& n = nodes_[id];
  if (n.boots != boot || n.freezes == 0 || --n.freezes != 0) return;
  n.note_obstacles();
  const Duration frozen = now_ - n.frozen_since;
  record(trace::host_thawed, id, 0, static_cast<std::uint64_t>(frozen.ns), how == Thaw::catches_up);
  n.clock.thaw(now_);
  if (how == Thaw::catches_up) n.clock.step(frozen);
  rearm_timers(id);
  if (how == Thaw::catches_up && n.alive && n.program != nullptr) n.program->clock_stepped(*this, id);
  network.host_thawed(id);
  drain(id);
}

// Delivers the timers and messages of the stop.  A draw decides their order: as they came, timers first,
// or messages first.  The process may be stopped again half-way; then the rest waits on.
void World::drain(NodeId id) {
  PICKLOCK_CHECK(executing_ == 0);
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
  for (Parked& p : draining_) {  // a task that is stopped again parks again
    if (p.slot == 0) {
      network.deliver(id, p.channel, std::move(p.message));
    } else if (Slot& slot = scheduler_[p.slot]; slot.key == p.key) {
      slot.key = 0;
      ready(p.slot);
    }
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
    if (s.node != id || (s.kind != SlotKind::timer && s.kind != SlotKind::work && s.kind != SlotKind::exchange))
      continue;
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
  Node& n = nodes_[id];
  n.clock.step(d);
  if (n.alive && n.program != nullptr) n.program->clock_stepped(*this, id);
}

// --- ending and restarting -----------------------------------------------------------------------

// A process does not destroy itself while its code runs: it stops at once, and an event of the world ends
// it at the same instant.
bool World::doom(NodeId id) {
  Node& n = nodes_[id];
  const bool news = !std::exchange(n.doomed, true);
  n.note_obstacles();
  return news;
}

void World::kill(NodeId id) {
  if (!nodes_[id].alive) return;
  if (executes_on(id)) {
    const auto later = [](World& w, void*, std::uint64_t n) { w.kill(static_cast<NodeId>(n)); };
    if (doom(id)) at(now_, {later, nullptr, id});
    return;
  }
  network.process_died(id);
  end_process(id, trace::process_killed);
}

// A panic ends the process like a kill, but counts as no fault.
void World::panic(NodeId id, const char* why) {
  PICKLOCK_CHECK(executes_on(id));
  Node& n = nodes_[id];
  if (!doom(id)) return;
  last_words_.push_back(why);
  const auto later = [](World& w, void* text, std::uint64_t packed) {
    const auto node = static_cast<NodeId>(packed);
    if (!w.alive(node) || w.incarnation(node) != static_cast<std::uint32_t>(packed >> 32)) return;
    w.network.process_died(node);
    w.end_process(node, trace::process_panicked, hash_of(static_cast<const char*>(text)));
  };
  at(now_, {later, const_cast<char*>(why), id | std::uint64_t{n.incarnation} << 32});
}

std::string_view World::last_words(std::uint64_t hash) const {
  const auto found =
      std::find_if(last_words_.begin(), last_words_.end(), [&](const char* words) { return hash_of(words) == hash; });
  return found == last_words_.end() ? std::string_view() : *found;
}

void World::lose_power(NodeId id) {
  if (!nodes_[id].powered) return;
  if (executes_on(id)) {
    const auto later = [](World& w, void*, std::uint64_t n) { w.lose_power(static_cast<NodeId>(n)); };
    doom(id);
    return at(now_, {later, nullptr, id});
  }
  Node& n = nodes_[id];
  end_process(id, trace::power_lost);
  network.host_lost(id);
  n.disk->lose_power();
  n.powered = false;
  ++n.boots;
  if (std::exchange(n.freezes, 0) != 0) n.clock.thaw(now_);
  n.note_obstacles();
}

void World::end_process(NodeId id, TraceKind how, std::uint64_t why) {
  Node& n = nodes_[id];
  record(how, id, static_cast<std::uint32_t>(n.roots.size()), why);
  n.alive = n.doomed = false;
  n.pauses = 0;
  n.life = mix(n.life, how);
  ++n.incarnation;
  n.mailbox.reader = 0;
  n.stopped_names.clear();
  n.note_obstacles();
  destroy_roots(n);
  n.mailbox.inbox.clear();
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
  if (n.doomed) {
    const auto later = [](World& w, void*, std::uint64_t k) { w.restart(static_cast<NodeId>(k)); };
    return at(now_, {later, nullptr, id});
  }
  if (n.alive) return;
  n.powered = n.alive = true;
  n.note_obstacles();
  record(trace::process_started, id, n.incarnation);
  const std::uint32_t root = std::exchange(current_root_, 0);
  if (n.program != nullptr) n.program->boot(*this, id);
  current_root_ = root;
}

}  // namespace picklock
