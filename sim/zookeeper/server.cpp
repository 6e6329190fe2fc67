#include "sim/zookeeper/server.hpp"

#include "base/hash.hpp"

namespace picklock {

void ZooServer::boot(World& world, NodeId node) {
  if (world.nodes.incarnation(node) == 0) {  // a run begins; nothing of the one before may name its draws
    steps_ = {};
    if (setup_.judge == nullptr) own_judge_.reset();
  }
  process_.emplace(world, node, setup_, setup_.judge != nullptr ? *setup_.judge : own_judge_,
                   setup_.reader != nullptr ? *setup_.reader : own_reader_, steps_);
  process_->start();
}

// Its state is the outcome of what it was told.
std::uint64_t ZooServer::fingerprint(const World& world, NodeId node) const {
  return world.nodes.alive(node) ? world.lives.of(node) : 0;
}

}  // namespace picklock
