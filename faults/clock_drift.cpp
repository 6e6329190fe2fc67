#include "faults/clock_drift.hpp"

#include <algorithm>

namespace picklock {
namespace {

class ClockDrift final : public ArmedFault {
 public:
  explicit ClockDrift(std::int64_t ppm) : ppm_(ppm) {}
  Injection begin(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    if (n.drifts++ == 0) n.own_ppm = world.nodes.clock(node).ppm();
    add(world, n, ppm_);
    return Injection::lasting;
  }
  void end(World& world, FaultRun& run) override {
    FaultRun::Node& n = run.nodes[node];
    --n.drifts;
    add(world, n, -ppm_);
  }

 private:
  void add(World& world, FaultRun::Node& n, std::int64_t ppm) {
    n.drift_ppm += ppm;
    const std::int64_t sum = std::clamp<std::int64_t>(n.own_ppm + n.drift_ppm, Clock::kLeastPpm, Clock::kMostPpm);
    world.faults.set_rate(node, static_cast<std::int32_t>(sum));
  }
  std::int64_t ppm_;
};

}  // namespace

void ClockDriftOptions::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "host whose clocks drift"}, node);
  v.field({.name = "ppm",
           .help = "drift in parts per million; negative: slow",
           .least = Clock::kLeastPpm,
           .most = Clock::kMostPpm},
          ppm);
  v.field({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const ClockDriftOptions& options, PlanNames& names) {
  auto fault = std::make_unique<ClockDrift>(options.ppm);
  fault->node = names.node("node", options.node);
  fault->lasts = options.lasts;
  fault->initial = true;
  return fault;
}

}  // namespace picklock
