// Actions of a world at an instant, or when a process passes a mark: faults, and the steps of a test.
//
//   world.actions.at(TrueTime{} + seconds(2), {crash, &subject, n});
//   world.actions.on({.node = a, .side = MarkSide::before, .mark = mark::writes}, {crash, &subject, n});
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/scheduler.hpp"
#include "sim/task/mark.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

class World;

// A trigger point: `node` passes `mark` on `side` for the `count`-th time.
struct TriggerPoint {
  NodeId node = 0;
  MarkSide side = MarkSide::at;
  Mark mark;
  std::uint32_t count = 1;
  Duration offset{};       // wait in true time, after that
  std::uint64_t task = 0;  // hash of the name of the only task that fires it; 0: any task
};

// An action of the world: a function and its subject.
struct Action {
  void (*act)(World&, void* subject, std::uint64_t argument) = nullptr;
  void* subject = nullptr;
  std::uint64_t argument = 0;
};

class Actions {
 public:
  explicit Actions(World& world) : world_(world) {}

  void at(TrueTime when, Action action);  // now, if that instant is over
  void on(const TriggerPoint& point, Action action);
  void reset();

  // --- for the world
  void fire(SlotId id);                             // the slot of an action has come due
  void passed(NodeId node, MarkSide side, Mark m);  // the running task passes a mark that some trigger waits for
  std::uint64_t fingerprint(const Slot& s) const { return pending_[s.argument].argument; }
  std::uint64_t fingerprint_of_triggers() const;

 private:
  struct Trigger {
    TriggerPoint point;
    Action action;
  };

  World& world_;
  std::vector<Trigger> triggers_;
  std::vector<Action> pending_;      // actions with an instant; a slot's argument is its place here
  std::vector<std::uint32_t> free_;  // places in pending_
};

}  // namespace picklock
