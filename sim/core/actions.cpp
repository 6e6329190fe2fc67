#include "sim/core/actions.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/core/world.hpp"

namespace picklock {

void Actions::reset() {
  triggers_.clear();
  pending_.clear();
  free_.clear();
}

void Actions::at(TrueTime when, Action action) {
  std::uint32_t place;
  if (!free_.empty()) {
    place = free_.back();
    free_.pop_back();
    pending_[place] = action;
  } else {
    place = static_cast<std::uint32_t>(pending_.size());
    pending_.push_back(action);
  }
  const SlotId slot = world_.scheduler.open(SlotKind::action, 0, nullptr);
  world_.scheduler[slot].argument = place;
  world_.scheduler.schedule(slot, std::max(when, world_.now()));
}

void Actions::fire(SlotId id) {
  const std::uint32_t place = world_.scheduler[id].argument;
  const Action action = pending_[place];
  world_.scheduler.close(id);
  free_.push_back(place);
  world_.tasks.switch_to(0);
  action.act(world_, action.subject, action.argument);
}

void Actions::on(const TriggerPoint& point, Action action) {
  PICKLOCK_CHECK(point.count > 0);
  triggers_.push_back({point, action});
  world_.nodes[point.node].armed_marks |= std::uint64_t{1} << (point.mark.id % 64);
}

void Actions::passed(NodeId node, MarkSide side, Mark m) {
  const std::uint64_t task = world_.tasks.current().name_hash;
  const std::size_t installed = triggers_.size();
  for (std::size_t i = 0; i < installed; ++i) {
    Trigger& t = triggers_[i];
    if (t.point.node != node || t.point.mark != m || t.point.side != side) continue;
    if (t.point.task != 0 && t.point.task != task) continue;
    if (t.point.count == 0 || --t.point.count != 0) continue;
    const Action action = t.action;
    if (t.point.offset.ns > 0) {
      at(world_.now() + t.point.offset, action);
    } else {
      const std::uint32_t root = world_.tasks.switch_to(0);  // the world acts
      action.act(world_, action.subject, action.argument);
      world_.tasks.switch_to(root);
    }
  }
}

std::uint64_t Actions::fingerprint_of_triggers() const {
  std::uint64_t unordered = 0;
  for (const Trigger& t : triggers_) {
    if (t.point.count == 0) continue;
    const std::uint64_t where = static_cast<std::uint64_t>(t.point.node) << 32 |
                                static_cast<std::uint64_t>(t.point.mark.id) << 8 |
                                static_cast<std::uint64_t>(t.point.side);
    const auto offset = static_cast<std::uint64_t>(t.point.offset.ns);
    unordered += mix(mix(mix(where, t.point.count), offset), t.action.argument);
  }
  return unordered;
}

}  // namespace picklock
