#include "sim/core/faulting.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// --- stopping ------------------------------------------------------------------------------------

std::uint32_t Faults::pause(NodeId id) {
  Nodes::Node& n = world_.nodes[id];
  if (n.process.alive && ++n.process.pauses == 1) {
    n.note_obstacles();
    world_.record(trace::process_paused, id);
    world_.timers.suspend_work(id);
  }
  return n.process.incarnation;
}

void Faults::resume(NodeId id, std::uint32_t incarnation) {
  if (world_.tasks.is_executing()) {
    const auto later = [](World& w, void*, std::uint64_t packed) {
      w.faults.resume(static_cast<NodeId>(packed), static_cast<std::uint32_t>(packed >> 32));
    };
    return world_.actions.at(world_.now(), {later, nullptr, id | std::uint64_t{incarnation} << 32});
  }
  Nodes::Node& n = world_.nodes[id];
  Nodes::Process& p = n.process;
  if (!p.alive || p.incarnation != incarnation || p.pauses == 0 || --p.pauses != 0) return;
  n.note_obstacles();
  world_.record(trace::process_continued, id, 0, p.parked.size());
  world_.timers.resume_work(id);
  drain(id);
}

void Faults::pause_task(NodeId id, std::string_view task) {
  Nodes::Node& n = world_.nodes[id];
  const std::uint64_t name = hash_of(task);
  n.process.stopped_names.push_back(name);
  n.note_obstacles();
  world_.record(trace::task_paused, id, 0, name);
  for (const std::uint32_t root : n.process.roots) world_.tasks[root].stops += world_.tasks[root].name_hash == name;
  world_.timers.suspend_work(id);
}

void Faults::resume_task(NodeId id, std::string_view task) {
  if (!world_.tasks.is_executing()) return resume_task(id, hash_of(task));
  const auto later = [](World& w, void*, std::uint64_t packed) {
    w.faults.resume_task(static_cast<NodeId>(packed), w.tasks.names.hash(static_cast<std::uint32_t>(packed >> 32)));
  };
  const std::uint64_t name = world_.tasks.names.id_of(task);
  world_.actions.at(world_.now(), {later, nullptr, id | name << 32});
}

void Faults::resume_task(NodeId id, std::uint64_t name) {
  Nodes::Node& n = world_.nodes[id];
  std::vector<std::uint64_t>& stopped = n.process.stopped_names;
  const auto found = std::find(stopped.begin(), stopped.end(), name);
  if (found == stopped.end()) return;
  stopped.erase(found);
  n.note_obstacles();
  world_.record(trace::task_continued, id, 0, name);
  for (const std::uint32_t root : n.process.roots) world_.tasks[root].stops -= world_.tasks[root].name_hash == name;
  world_.timers.resume_work(id);
  drain(id);
}

std::uint32_t Faults::freeze(NodeId id) {
  Nodes::Node& n = world_.nodes[id];
  if (n.machine.powered && ++n.machine.freezes == 1) {
    n.note_obstacles();
    world_.record(trace::host_frozen, id);
    n.machine.frozen_since = world_.now();
    n.clock.freeze(world_.now());
    world_.timers.rearm(id);
  }
  return n.machine.boots;
}

void Faults::thaw(NodeId id, Thaw how, std::uint32_t boot) {
  if (world_.tasks.is_executing()) {
    const auto later = [](World& w, void* catches_up, std::uint64_t packed) {
      w.faults.thaw(static_cast<NodeId>(packed), catches_up != nullptr ? Thaw::catches_up : Thaw::lags,
                    static_cast<std::uint32_t>(packed >> 32));
    };
    void* const catches_up = how == Thaw::catches_up ? this : nullptr;
    return world_.actions.at(world_.now(), {later, catches_up, id | std::uint64_t{boot} << 32});
  }
  Nodes::Node& n = world_.nodes[id];
  if (n.machine.boots != boot || n.machine.freezes == 0 || --n.machine.freezes != 0) return;
  n.note_obstacles();
  const Duration frozen = world_.now() - n.machine.frozen_since;
  world_.record(trace::host_thawed, id, 0, static_cast<std::uint64_t>(frozen.ns), how == Thaw::catches_up);
  n.clock.thaw(world_.now());
  if (how == Thaw::catches_up) n.clock.step(frozen);
  world_.timers.rearm(id);
  const Nodes::Process& p = n.process;
  if (how == Thaw::catches_up && p.alive && p.program != nullptr) p.program->clock_stepped(world_, id);
  world_.network.host_thawed(id);
  drain(id);
}

// Delivers the timers and messages of the stop.  A draw decides their order: as they came, timers first,
// or messages first.  The process may be stopped again half-way; then the rest waits on.
void Faults::drain(NodeId id) {
  PICKLOCK_CHECK(!world_.tasks.is_executing());
  Nodes::Node& n = world_.nodes[id];
  Nodes::Process& p = n.process;
  if (p.pauses != 0 || n.machine.freezes != 0 || p.parked.empty()) return;
  PICKLOCK_CHECK(draining_.empty());
  draining_.swap(p.parked);
  if (draining_.size() > 1) {
    static const Law kOrder = Law::uniform(std::int64_t{0}, std::int64_t{2});
    const Operation op{Operation::key_of(n.hash, ++p.continuations), static_cast<std::uint32_t>(id) << 16,
                       p.continuations, 0};
    const Entity who{n.hash, static_cast<std::uint32_t>(id) << 16};
    const std::int64_t order = world_.draws.draw(world_.now(), who, Purpose::timer_order, op, 1, kOrder);
    if (order != 0) {
      std::stable_partition(draining_.begin(), draining_.end(),
                            [&](const Parked& parked) { return (parked.slot != 0) == (order == 1); });
    }
  }
  for (Parked& parked : draining_) {  // a task that is stopped again parks again
    if (parked.slot == 0) {
      world_.network.deliver(id, parked.channel, std::move(parked.message));
    } else if (Slot& slot = world_.scheduler[parked.slot]; slot.key == parked.key) {
      slot.key = 0;
      world_.tasks.ready(parked.slot);
    }
  }
  draining_.clear();
}

// --- clocks --------------------------------------------------------------------------------------

void Faults::set_rate(NodeId id, std::int32_t ppm) {
  world_.record(trace::clock_rate, id, 0, static_cast<std::uint64_t>(ppm));
  world_.nodes[id].clock.set_rate(world_.now(), std::clamp(ppm, Clock::kLeastPpm, Clock::kMostPpm));
  world_.timers.rearm(id);
}

// No timer moves: they wait on the monotonic clock.
void Faults::step_clock(NodeId id, Duration d) {
  world_.record(trace::clock_step, id, 0, static_cast<std::uint64_t>(d.ns));
  Nodes::Node& n = world_.nodes[id];
  n.clock.step(d);
  if (n.process.alive && n.process.program != nullptr) n.process.program->clock_stepped(world_, id);
}

// --- ending and restarting -----------------------------------------------------------------------

// A process does not destroy itself while its code runs: it stops at once, and an event of the world ends
// it at the same instant.
bool Faults::doom(NodeId id) {
  Nodes::Node& n = world_.nodes[id];
  const bool news = !std::exchange(n.process.doomed, true);
  n.note_obstacles();
  return news;
}

void Faults::kill(NodeId id) {
  if (!world_.nodes.alive(id)) return;
  if (world_.tasks.executes_on(id)) {
    const auto later = [](World& w, void*, std::uint64_t n) { w.faults.kill(static_cast<NodeId>(n)); };
    if (doom(id)) world_.actions.at(world_.now(), {later, nullptr, id});
    return;
  }
  world_.network.process_died(id);
  end_process(id, trace::process_killed);
}

void Faults::panic(NodeId id, const char* why) {
  PICKLOCK_CHECK(world_.tasks.executes_on(id));
  if (!doom(id)) return;
  last_words_.push_back(why);
  const auto later = [](World& w, void* text, std::uint64_t packed) {
    const auto node = static_cast<NodeId>(packed);
    if (!w.nodes.alive(node) || w.nodes.incarnation(node) != static_cast<std::uint32_t>(packed >> 32)) return;
    w.network.process_died(node);
    w.faults.end_process(node, trace::process_panicked, hash_of(static_cast<const char*>(text)));
  };
  const std::uint64_t incarnation = world_.nodes.incarnation(id);
  world_.actions.at(world_.now(), {later, const_cast<char*>(why), id | incarnation << 32});
}

std::string_view Faults::last_words(std::uint64_t hash) const {
  const auto found =
      std::find_if(last_words_.begin(), last_words_.end(), [&](const char* words) { return hash_of(words) == hash; });
  return found == last_words_.end() ? std::string_view() : *found;
}

void Faults::lose_power(NodeId id) {
  Nodes::Node& n = world_.nodes[id];
  if (!n.machine.powered) return;
  if (world_.tasks.executes_on(id)) {
    const auto later = [](World& w, void*, std::uint64_t node) { w.faults.lose_power(static_cast<NodeId>(node)); };
    doom(id);
    return world_.actions.at(world_.now(), {later, nullptr, id});
  }
  end_process(id, trace::power_lost);
  world_.network.host_lost(id);
  n.disk->lose_power();
  n.machine.powered = false;
  ++n.machine.boots;
  if (std::exchange(n.machine.freezes, 0) != 0) n.clock.thaw(world_.now());
  n.note_obstacles();
}

void Faults::end_process(NodeId id, TraceKind how, std::uint64_t why) {
  Nodes::Node& n = world_.nodes[id];
  Nodes::Process& p = n.process;
  world_.record(how, id, static_cast<std::uint32_t>(p.roots.size()), why);
  p.alive = p.doomed = false;
  p.pauses = 0;
  p.life = mix(p.life, how);
  ++p.incarnation;
  p.mailbox.reader = 0;
  p.stopped_names.clear();
  n.note_obstacles();
  world_.tasks.destroy_all(p);
  p.mailbox.inbox.clear();
  p.parked.clear();
  world_.channels.process_died(id);
}

void Faults::restart(NodeId id) {
  Nodes::Node& n = world_.nodes[id];
  if (n.process.doomed) {
    const auto later = [](World& w, void*, std::uint64_t k) { w.faults.restart(static_cast<NodeId>(k)); };
    return world_.actions.at(world_.now(), {later, nullptr, id});
  }
  if (n.process.alive) return;
  n.machine.powered = n.process.alive = true;
  n.note_obstacles();
  world_.record(trace::process_started, id, n.process.incarnation);
  const std::uint32_t root = world_.tasks.switch_to(0);
  if (n.process.program != nullptr) n.process.program->boot(world_, id);
  world_.tasks.switch_to(root);
}

// --- draws ---------------------------------------------------------------------------------------

std::int64_t Faults::draw(std::uint32_t n, const Law& law) const {
  const Entity world{world_.nodes[0].hash, 0};
  const Operation own{Operation::key_of(world.hash, 0), 0, 0, 0};
  return world_.draws.draw(world_.now(), world, Purpose::fault, own, n, law);
}

std::int64_t Faults::redraw(std::uint32_t n, const Law& law, Duration over, Duration drawn) const {
  const Entity world{world_.nodes[0].hash, 0};
  const Operation own{Operation::key_of(world.hash, 0), 0, 0, 0};
  return world_.draws.redraw(world_.now(), world, Purpose::fault, own, n, law, over.ns, drawn.ns);
}

}  // namespace picklock
