#include "faults/restart.hpp"

namespace picklock {
namespace {

class Restart final : public ArmedFault {
 public:
  Injection begin(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    n.down = n.staying_down = 0;
    ++n.revived;
    // It uses an event of its own at this instant: a process that dies just now must be dead first, and
    // a program must not be booted from inside another process's task.
    const auto boot = [](World& w, void*, std::uint64_t id) { w.faults.restart(static_cast<NodeId>(id)); };
    world.actions.at(world.now(), {boot, nullptr, node});
    return Injection::momentary;
  }
};

}  // namespace

void RestartOptions::fields(FieldVisitor& v) { v.field({.name = "node", .help = "node to restart"}, node); }

std::unique_ptr<ArmedFault> arm_fault(const RestartOptions& options, PlanNames& names) {
  auto fault = std::make_unique<Restart>();
  fault->node = names.node("node", options.node);
  return fault;
}

}  // namespace picklock
