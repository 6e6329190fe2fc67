// Two worlds with equal fingerprints have the same futures.
//
// The fingerprint leaves out identifiers of any kind and the true time; unless lives are kept, it leaves out the names of draws to
// come as well.  So it recognises a state again, on another path and at another time.  Sums stand where order does not matter.
//
// A life is what the processes of a machine were told since the run began: messages, the steps of their tasks by their own
// clocks, and how processes ended.  Processes are deterministic, so that equal lives have led to equal states.

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
  return world_.keeps_lives_ ? mix(mix(h, m.operation.key), m.n) : h;
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

std::uint64_t World::unique() const { return mix(mix(trace.digest(), draws.identity()), events_); }

std::uint64_t World::life(NodeId n) const { return keeps_lives_ ? nodes_[n].life : unique(); }

void World::hear(NodeId n, const Message& m) {
  std::uint64_t& life = nodes_[n].life;
  life = mix(mix(life, network.fingerprint_of(m)), m.connection);
}

void World::live_on(SlotId id) {
  const Slot& s = scheduler_[id];
  std::uint64_t& life = nodes_[s.node].life;
  life = mix(mix(life, roots_[s.root].entity.hash), static_cast<std::uint64_t>(s.kind));
  life = mix(life, picklock::hash_of(std::string_view(s.what == nullptr ? "" : s.what)));
  if (s.kind == SlotKind::exchange) {
    const auto& e = *static_cast<const Exchange*>(s.target);
    life = mix(life, static_cast<std::uint64_t>(e.state) << 1 | e.passed);
  }
  life = mix(mix(life, bits(monotonic_now(s.node).ns)), bits(wall_now(s.node).ns));
}

std::uint64_t World::fingerprint_of(SlotId id) const {
  const Slot& s = scheduler_[id];
  std::uint64_t h = mix(roots_[s.root].entity.hash, static_cast<std::uint64_t>(s.kind));
  if (s.kind == SlotKind::action) h = mix(h, actions_[s.argument].argument);
  if (s.kind == SlotKind::exchange) {
    const auto& e = *static_cast<const Exchange*>(s.target);
    h = mix(h, static_cast<std::uint64_t>(e.state) << 1 | e.passed);
    // An answer that has come and was not taken yet.
    if (e.state == Exchange::State::replied) h = mix(h, e.reply.hash());
  }
  if (scheduler_.is_scheduled(id)) return mix(h, bits((scheduler_.time_of(id) - now_).ns));
  switch (s.key) {
    case Scheduler::kFrozen:
      return mix(mix(h, s.key), bits(s.due - monotonic_now(s.node).ns));
    case Scheduler::kSuspended:
      return mix(mix(h, s.key), bits(s.due));
    default:
      return mix(h, Scheduler::kParked);
  }
}

std::uint64_t World::fingerprint_of(const Node& n, NodeId id) const {
  PICKLOCK_CHECK(n.reachable == (n.powered && n.freezes == 0));  // note_obstacles() has been called
  PICKLOCK_CHECK(n.unhindered == (n.alive && (n.pauses | n.freezes) == 0 && !n.doomed && n.stopped_names.empty()));
  std::uint64_t h = mix(n.hash, static_cast<std::uint64_t>(n.alive) | static_cast<std::uint64_t>(n.powered) << 1 |
                                    static_cast<std::uint64_t>(n.doomed) << 2);
  h = mix(h, static_cast<std::uint64_t>(n.pauses) << 32 | n.freezes);
  h = mix(h, bits(n.clock.ppm()) << 1 | static_cast<std::uint64_t>(n.clock.frozen()));
  h = mix(h, bits(n.clock.wall(now_).ns - now_.ns));
  h = mix(h, n.freezes != 0 ? bits((now_ - n.frozen_since).ns) : 0);
  h = mix(mix(h, n.disk->fingerprint()), picklock::hash_of(n.cpu_cost));
  if (n.program != nullptr) h = mix(h, n.program->fingerprint(*this, id));
  const Ring<Message>& inbox = n.mailbox.inbox;
  for (std::size_t k = 0; k < inbox.size(); ++k) h = mix(h, network.fingerprint_of(inbox[k]));
  for (const Parked& p : n.parked) {
    if (p.slot == 0) {
      h = mix(h, network.fingerprint_of(p.message));
    } else if (scheduler_[p.slot].key == p.key) {
      h = mix(h, fingerprint_of(p.slot));
    }
  }
  std::uint64_t unordered = 0;
  for (const std::uint64_t name : n.stopped_names) unordered += mix(name);
  for (const std::uint32_t root : n.roots) {
    const Root& r = roots_[root];
    std::uint64_t own = mix(mix(r.entity.hash, r.state_declared ? r.state : life(id)), r.stops);
    if (keeps_lives_) {
      own = mix(own, r.operation.key);
      for (const std::uint32_t drawn : r.draws) own = mix(own, drawn);
    }
    unordered += own;
  }
  return mix(h, unordered);
}

std::uint64_t World::fingerprint() const {
  std::uint64_t h = network.fingerprint();
  for (std::size_t i = 0; i < used_nodes_; ++i) h = mix(h, fingerprint_of(nodes_[i], static_cast<NodeId>(i)));
  for (std::size_t i = 0; i < used_channels_; ++i) h = mix(h, channels_[i]->fingerprint());
  std::uint64_t unordered = 0;
  for (const Trigger& t : triggers_) {
    if (t.point.count == 0) continue;
    const std::uint64_t where = static_cast<std::uint64_t>(t.point.node) << 32 |
                                static_cast<std::uint64_t>(t.point.mark.id) << 8 |
                                static_cast<std::uint64_t>(t.point.side);
    unordered += mix(mix(mix(where, t.point.count), bits(t.point.offset.ns)), t.action.argument);
  }
  for (SlotId id = 1; id < scheduler_.slot_count(); ++id) {
    const Slot& s = scheduler_[id];
    if (s.kind != SlotKind::free && s.kind != SlotKind::wire && s.key != 0) unordered += fingerprint_of(id);
  }
  return mix(h, unordered);
}

std::uint64_t RpcChannel::fingerprint() const {
  std::uint64_t h = mix(static_cast<std::uint64_t>(host_.node()) << 16 | to_, static_cast<std::uint64_t>(state_));
  for (std::size_t i = 0; i < pushes_.size(); ++i) h = mix(h, pushes_[i].hash());
  return h;
}

}  // namespace picklock
