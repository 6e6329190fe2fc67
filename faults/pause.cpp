#include "faults/pause.hpp"

namespace picklock {
namespace {

class ProcessPause final : public ArmedFault {
 public:
  Injection begin(World& world, FaultRun&) override {
    if (!world.nodes.alive(node)) return Injection::missed;
    incarnation_ = world.faults.pause(node);
    return Injection::lasting;
  }
  void end(World& world, FaultRun&) override { world.faults.resume(node, incarnation_); }

 private:
  std::uint32_t incarnation_ = 0;
};

class TaskPause final : public ArmedFault {
 public:
  explicit TaskPause(std::string task) : task_(std::move(task)) {}
  Injection begin(World& world, FaultRun&) override {
    if (!world.nodes.alive(node)) return Injection::missed;
    incarnation_ = world.nodes.incarnation(node);
    world.faults.pause_task(node, task_);
    return Injection::lasting;
  }
  void end(World& world, FaultRun&) override {
    if (world.nodes.alive(node) && world.nodes.incarnation(node) == incarnation_) {
      world.faults.resume_task(node, task_);
    }
  }

 private:
  std::string task_;
  std::uint32_t incarnation_ = 0;
};

}  // namespace

void PauseOptions::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "node whose process stops"}, node);
  v.field({.name = "task", .help = "stops only the tasks of this name, e.g. \"renewal\""}, task);
  v.field({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const PauseOptions& options, PlanNames& names) {
  std::unique_ptr<ArmedFault> fault;
  if (options.task.empty()) {
    fault = std::make_unique<ProcessPause>();
  } else {
    fault = std::make_unique<TaskPause>(options.task);
  }
  fault->node = names.node("node", options.node);
  fault->lasts = options.lasts;
  return fault;
}

}  // namespace picklock
