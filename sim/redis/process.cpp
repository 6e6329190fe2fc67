#include "sim/redis/process.hpp"

#include "base/hash.hpp"

namespace picklock {

std::uint64_t RedisProcess::draw_id(std::uint32_t ordinal) const {
  const std::uint64_t hash = hash_of(world_->nodes.name(node_));
  const std::uint32_t entity = static_cast<std::uint32_t>(node_) << 16;
  const std::uint32_t life = world_->nodes.incarnation(node_) + 1;
  const Operation op{Operation::key_of(hash, life), entity, life, 0};
  return world_->draws.bits(world_->now(), {hash, entity}, Purpose::start, op, ordinal);
}

}  // namespace picklock
