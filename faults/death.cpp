#include "faults/death.hpp"

namespace picklock {
namespace {

class Death final : public ArmedFault {
 public:
  explicit Death(void (Faults::*inject)(NodeId)) : inject_(inject) {}

  Injection begin(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    ++n.down;
    n.staying_down += !heals;
    revived_ = n.revived;
    (world.faults.*inject_)(node);
    return Injection::lasting;
  }
  void end(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    if (n.revived != revived_) return;
    n.staying_down -= !heals;
    if (--n.down == 0) world.faults.restart(node);
  }

 private:
  void (Faults::*inject_)(NodeId);
  std::uint32_t revived_ = 0;
};

}  // namespace

void visit_death(FieldVisitor& v, std::string& node, std::optional<Law>& restart_after, bool& stays) {
  v.field({.name = "node", .help = "node to kill"}, node);
  v.field(
      {.name = "restart-after", .help = "downtime; none: the heal phase restarts it, unless it `stays`", .least = 0},
      restart_after);
  v.field({.name = "stays", .help = "the heal phase does not restart it"}, stays);
}

std::unique_ptr<ArmedFault> arm_death(void (Faults::*inject)(NodeId), const DeathSpec& spec, PlanNames& names) {
  auto fault = std::make_unique<Death>(inject);
  fault->node = names.node("node", spec.node);
  fault->lasts = spec.restart_after;
  fault->heals = !spec.stays;
  return fault;
}

}  // namespace picklock
