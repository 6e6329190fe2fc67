// Two worlds with equal fingerprints have the same futures.
//
// The fingerprint leaves out identifiers of any kind and the true time; unless lives are kept, it leaves out the names of draws to
// come as well.  So it recognises a state again, on another path and at another time.  Sums stand where order does not matter.

#include "base/check.hpp"
#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }

std::uint64_t hash_of(const NodeSet& set) {
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i]) h = mix(h, i);
  }
  return h;
}

}  // namespace

std::uint64_t Network::fingerprint_of(const Message& m) const {
  const Connection* const c = find(m.connection);
  const std::uint64_t from = c != nullptr ? c->end[m.direction].node : kMostNodes;
  const std::uint64_t h = mix(mix(m.body.hash(), static_cast<std::uint64_t>(m.kind)), from);
  return world_.lives.are_kept() ? mix(mix(h, m.operation.key), m.n) : h;
}

std::uint64_t Network::fingerprint() const {
  const std::int64_t now = world_.now().ns;
  std::uint64_t h = hash_of(latency_);
  for (const LinkLatency& l : link_latencies_) {
    h = mix(mix(h, static_cast<std::uint64_t>(l.from) << 16 | l.to), hash_of(l.law));
  }
  for (const NetworkRule& r : rules_) {
    h = mix(mix(h, hash_of(r.from)), hash_of(r.to));
    h = mix(mix(h, static_cast<std::uint64_t>(r.fate) ^ bits(r.out_of_million) << 8), hash_of(r.delay));
  }
  for (std::uint32_t i = 0; i < used_; ++i) {
    const Connection& c = connections_[i];
    if (!c.in_use) continue;
    std::uint64_t own = mix(c.end[0].node, c.end[1].node);
    for (int side = 0; side < 2; ++side) {
      const Direction& d = c.direction[side];
      own = mix(own, static_cast<std::uint64_t>(c.end[side].state));
      own = mix(own, static_cast<std::uint64_t>(d.attempts) << 32 | d.orphans);
      for (std::size_t k = 0; k < d.wire.size(); ++k) {
        const InFlight& f = d.wire[k];
        enum : std::uint64_t { kOnTheWay, kLost, kStopped } const how =
            f.due == kHeld ? kStopped : f.due < 0 ? kLost : kOnTheWay;
        const std::int64_t due = how == kStopped ? now : how == kLost ? -f.due : f.due;
        own = mix(own, bits(std::max(due - now, std::int64_t{0})) << 2 | how);
        own = mix(own, fingerprint_of(f.message));
      }
    }
    h += mix(own);
  }
  return h;
}

namespace {

std::uint64_t fingerprint_of(const World& world, SlotId id) {
  const Scheduler& scheduler = world.scheduler;
  const Slot& s = scheduler[id];
  std::uint64_t h = mix(world.tasks[s.root].entity.hash, static_cast<std::uint64_t>(s.kind));
  if (s.kind == SlotKind::action) h = mix(h, world.actions.fingerprint(s));
  if (s.kind == SlotKind::exchange) {
    const auto& e = *static_cast<const Exchange*>(s.target);
    h = mix(h, static_cast<std::uint64_t>(e.state) << 1 | e.passed);
    // An answer that has come and was not taken yet.
    if (e.state == Exchange::State::replied) h = mix(h, e.reply.hash());
  }
  if (scheduler.is_scheduled(id)) return mix(h, bits((scheduler.time_of(id) - world.now()).ns));
  switch (s.key) {
    case Scheduler::kFrozen:
      return mix(mix(h, s.key), bits(s.due - world.tasks.monotonic_now(s.node).ns));
    case Scheduler::kSuspended:
      return mix(mix(h, s.key), bits(s.due));
    default:
      return mix(h, Scheduler::kParked);
  }
}

std::uint64_t fingerprint_of_tasks(const World& world, NodeId id) {
  const Nodes::Process& p = world.nodes[id].process;
  std::uint64_t unordered = 0;
  for (const std::uint64_t name : p.stopped_names) unordered += mix(name);
  for (const std::uint32_t root : p.roots) {
    const Tasks::Root& r = world.tasks[root];
    std::uint64_t own = mix(mix(r.entity.hash, r.state_declared ? r.state : world.lives.of(id)), r.stops);
    if (world.lives.are_kept()) {
      own = mix(own, r.operation.key);
      for (const std::uint32_t drawn : r.draws) own = mix(own, drawn);
    }
    unordered += own;
  }
  return unordered;
}

std::uint64_t fingerprint_of_node(const World& world, NodeId id) {
  const Nodes::Node& n = world.nodes[id];
  const Nodes::Process& p = n.process;
  PICKLOCK_CHECK(n.obstacles_noted());
  std::uint64_t h =
      mix(n.hash, static_cast<std::uint64_t>(p.alive) | static_cast<std::uint64_t>(n.machine.powered) << 1 |
                      static_cast<std::uint64_t>(p.doomed) << 2);
  h = mix(h, static_cast<std::uint64_t>(p.pauses) << 32 | n.machine.freezes);
  h = mix(h, bits(n.clock.ppm()) << 1 | static_cast<std::uint64_t>(n.clock.frozen()));
  h = mix(h, bits(n.clock.wall(world.now()).ns - world.now().ns));
  h = mix(h, n.machine.freezes != 0 ? bits((world.now() - n.machine.frozen_since).ns) : 0);
  h = mix(mix(h, n.disk->fingerprint()), hash_of(n.cpu_cost));
  if (p.program != nullptr) h = mix(h, p.program->fingerprint(world, id));
  const Ring<Message>& inbox = p.mailbox.inbox;
  for (std::size_t k = 0; k < inbox.size(); ++k) h = mix(h, world.network.fingerprint_of(inbox[k]));
  for (const Parked& parked : p.parked) {
    if (parked.slot == 0) {
      h = mix(h, world.network.fingerprint_of(parked.message));
    } else if (world.scheduler[parked.slot].key == parked.key) {
      h = mix(h, fingerprint_of(world, parked.slot));
    }
  }
  return mix(h, fingerprint_of_tasks(world, id));
}

}  // namespace

std::uint64_t World::fingerprint() const {
  std::uint64_t h = network.fingerprint();
  for (NodeId id = 0; id < nodes.count(); ++id) h = mix(h, fingerprint_of_node(*this, id));
  h = channels.fingerprint(h);
  std::uint64_t unordered = actions.fingerprint_of_triggers();
  for (SlotId id = 1; id < scheduler.slot_count(); ++id) {
    const Slot& s = scheduler[id];
    if (s.kind != SlotKind::free && s.kind != SlotKind::wire && s.key != 0) unordered += fingerprint_of(*this, id);
  }
  return mix(h, unordered);
}

std::uint64_t RpcChannel::fingerprint() const {
  std::uint64_t h = mix(static_cast<std::uint64_t>(host_.node()) << 16 | to_, static_cast<std::uint64_t>(state_));
  for (std::size_t i = 0; i < pushes_.size(); ++i) h = mix(h, pushes_[i].hash());
  return h;
}

}  // namespace picklock
