#include "sim/etcd/member.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace picklock {

void EtcdMember::boot(World& world, NodeId node) {
  if (world.nodes.incarnation(node) == 0) run_ = {};  // a run begins; nothing of the one before may name its draws
  const auto place = std::find(setup_.members.begin(), setup_.members.end(), node);
  const auto self = static_cast<RaftId>(place - setup_.members.begin()) + 1;
  process_.reset();
  process_ = std::make_unique<EtcdMemberProcess>(EtcdMemberContext{Service(world, node), self, setup_}, run_);
  process_->start();
}

// Its state is the outcome of what it was told.
std::uint64_t EtcdMember::fingerprint(const World& world, NodeId node) const {
  return world.nodes.alive(node) ? world.lives.of(node) : 0;
}

}  // namespace picklock
