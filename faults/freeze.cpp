#include "faults/freeze.hpp"

namespace picklock {
namespace {

class Freeze final : public ArmedFault {
 public:
  explicit Freeze(Thaw how) : how_(how) {}
  Injection begin(World& world, FaultRun&) override {
    if (!world.nodes.powered(node)) return Injection::missed;
    boot_ = world.faults.freeze(node);
    return Injection::lasting;
  }
  void end(World& world, FaultRun&) override { world.faults.thaw(node, how_, boot_); }

 private:
  Thaw how_;
  std::uint32_t boot_ = 0;
};

}  // namespace

void FreezeOptions::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "host that stops"}, node);
  v.field({.name = "thaw", .help = "wall clock after the freeze: it lags behind, or catches up"}, thaw);
  v.field({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const FreezeOptions& options, PlanNames& names) {
  auto fault = std::make_unique<Freeze>(options.thaw);
  fault->node = names.node("node", options.node);
  fault->lasts = options.lasts;
  return fault;
}

}  // namespace picklock
