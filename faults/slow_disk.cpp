#include "faults/slow_disk.hpp"

#include <algorithm>

namespace picklock {
namespace {

class SlowDisk final : public ArmedFault {
 public:
  explicit SlowDisk(Law by) : by_(std::move(by)) {}
  Injection begin(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    Law& slowdown = world.nodes.disk(node).slowdown;
    if (n.slow_disks.empty()) n.own_slowdown = slowdown;
    n.slow_disks.push_back(&by_);
    slowdown = by_;
    return Injection::lasting;
  }
  void end(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    n.slow_disks.erase(std::find(n.slow_disks.begin(), n.slow_disks.end(), &by_));
    world.nodes.disk(node).slowdown = n.slow_disks.empty() ? n.own_slowdown : *n.slow_disks.back();
  }

 private:
  Law by_;
};

}  // namespace

void SlowDiskOptions::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "node whose disk is slow"}, node);
  v.field({.name = "by", .help = "duration added to every write and fsync", .least = 0}, by);
  v.field({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const SlowDiskOptions& options, PlanNames& names) {
  auto fault = std::make_unique<SlowDisk>(options.by);
  fault->node = names.node("node", options.node);
  fault->lasts = options.lasts;
  fault->initial = true;
  return fault;
}

}  // namespace picklock
