#include "faults/clock_step.hpp"

namespace picklock {
namespace {

class ClockStep final : public ArmedFault {
 public:
  explicit ClockStep(Duration by) : by_(by) {}
  Injection begin(World& world, FaultRun&) override {
    world.faults.step_clock(node, by_);
    return lasts ? Injection::lasting : Injection::momentary;
  }
  void end(World& world, FaultRun&) override { world.faults.step_clock(node, -by_); }

 private:
  Duration by_;
};

}  // namespace

void ClockStepOptions::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "host whose wall clock jumps"}, node);
  v.field({.name = "by", .help = "distance of the jump; negative: back in time"}, by);
  v.field({.name = "lasts", .help = "duration until the clock jumps back; none: never", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const ClockStepOptions& options, PlanNames& names) {
  auto fault = std::make_unique<ClockStep>(options.by);
  fault->node = names.node("node", options.node);
  fault->lasts = options.lasts;
  return fault;
}

}  // namespace picklock
