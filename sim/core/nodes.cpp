#include "sim/core/nodes.hpp"

#include "base/check.hpp"

namespace picklock {

bool Nodes::Node::obstacles_noted() const {
  const bool free = process.alive && !is_stopped() && process.stopped_names.empty();
  return reachable == (machine.powered && machine.freezes == 0) && unhindered == free;
}

void Nodes::Node::note_obstacles() {
  reachable = machine.powered && machine.freezes == 0;
  unhindered = process.alive && !is_stopped() && process.stopped_names.empty();
}

// Keeps the memory of the node that stood here in an earlier run.
void Nodes::Node::reset(std::string_view new_name) {
  if (name != new_name || hash == 0) {
    name.assign(new_name);
    hash = hash_of(new_name);
    task_hashes.clear();
  }
  clock = {};
  disk->reset();
  cpu_cost = {};
  armed_marks = 0;
  machine = {};
  process.program = nullptr;
  process.alive = true;
  process.doomed = false;
  process.pauses = process.incarnation = process.continuations = 0;
  process.stopped_names.clear();
  process.mailbox.reader = 0;
  process.life = 0;
  note_obstacles();
}

NodeId Nodes::add(std::string_view name) {
  PICKLOCK_CHECK(used_ < kMostNodes);
  const auto id = static_cast<NodeId>(used_++);
  if (nodes_.size() < used_) nodes_.emplace_back();
  nodes_[id].reset(name);
  return id;
}

std::optional<NodeId> Nodes::find(std::string_view name) const {
  for (std::size_t i = 1; i < used_; ++i) {
    if (nodes_[i].name == name) return static_cast<NodeId>(i);
  }
  return std::nullopt;
}

}  // namespace picklock
