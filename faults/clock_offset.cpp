#include "faults/clock_offset.hpp"

namespace picklock {
namespace {

class ClockOffset final : public ArmedFault {
 public:
  explicit ClockOffset(Duration by) : by_(by) {}
  Injection begin(World& world, FaultRun&) override {
    const Duration now = world.now() - TrueTime{};
    const Duration error = world.tasks.wall_now(node) - (WallTime{} + Clock::kEpoch + now);
    step_ = by_ - error;
    if (now.ns == 0) {
      world.nodes.initial_clock(node).step(step_);  // an offset since before the run: not a step
    } else {
      world.faults.step_clock(node, step_);
    }
    return lasts ? Injection::lasting : Injection::momentary;
  }
  void end(World& world, FaultRun&) override { world.faults.step_clock(node, -step_); }

 private:
  Duration by_, step_;
};

}  // namespace

void ClockOffsetOptions::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "host whose wall clock is wrong"}, node);
  v.field({.name = "by", .help = "lead of the wall clock over true time; negative: lag"}, by);
  v.field({.name = "lasts", .help = "duration until the clock is set right; none: never", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const ClockOffsetOptions& options, PlanNames& names) {
  auto fault = std::make_unique<ClockOffset>(options.by);
  fault->node = names.node("node", options.node);
  fault->lasts = options.lasts;
  fault->initial = true;
  return fault;
}

}  // namespace picklock
