#include "faults/death.hpp"

namespace picklock {
namespace {

class Death final : public ArmedFault {
 public:
  explicit Death(void (World::*strike)(NodeId)) : strike_(strike) {}

  Strike begin(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    ++n.down;
    n.staying_down += !heals;
    revived_ = n.revived;
    (world.*strike_)(node);
    return Strike::lasting;
  }
  void end(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    if (n.revived != revived_) return;
    n.staying_down -= !heals;
    if (--n.down == 0) world.restart(node);
  }

 private:
  void (World::*strike_)(NodeId);
  std::uint32_t revived_ = 0;
};

}  // namespace

void visit_death(FieldVisitor& v, std::string& node, std::optional<Duration>& restart_after, bool& stays) {
  v.field({.name = "node", .help = "node to kill"}, node);
  v.field({.name = "restart-after", .help = "none: restarted by healing, unless it stays", .least = 0}, restart_after);
  v.field({.name = "stays", .help = "healing does not restart it"}, stays);
}

std::unique_ptr<ArmedFault> arm_death(void (World::*strike)(NodeId), const DeathSpec& spec, PlanNames& names) {
  auto fault = std::make_unique<Death>(strike);
  fault->node = names.node("node", spec.node);
  fault->lasts = spec.restart_after;
  fault->heals = !spec.stays;
  return fault;
}

}  // namespace picklock
