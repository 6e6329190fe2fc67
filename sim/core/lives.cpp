#include "sim/core/lives.hpp"

#include "sim/core/world.hpp"
#include "sim/task/exchange.hpp"

namespace picklock {

std::uint64_t Lives::of(NodeId n) const {
  if (kept_) return world_.nodes[n].process.life;
  return mix(mix(world_.trace.digest(), world_.draws.identity()), world_.events());
}

void Lives::hear(NodeId n, const Message& m) {
  std::uint64_t& life = world_.nodes[n].process.life;
  life = mix(mix(life, world_.network.fingerprint_of(m)), m.connection);
}

void Lives::go_on(SlotId id) {
  const Slot& s = world_.scheduler[id];
  std::uint64_t& life = world_.nodes[s.node].process.life;
  life = mix(mix(life, world_.tasks[s.root].entity.hash), static_cast<std::uint64_t>(s.kind));
  life = mix(life, hash_of(std::string_view(s.what == nullptr ? "" : s.what)));
  if (s.kind == SlotKind::exchange) {
    const auto& e = *static_cast<const Exchange*>(s.target);
    life = mix(life, static_cast<std::uint64_t>(e.state) << 1 | e.passed);
  }
  const std::int64_t monotonic = world_.tasks.monotonic_now(s.node).ns, wall = world_.tasks.wall_now(s.node).ns;
  life = mix(mix(life, static_cast<std::uint64_t>(monotonic)), static_cast<std::uint64_t>(wall));
}

}  // namespace picklock
