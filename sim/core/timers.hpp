// The waits of tasks, as slots of the scheduler: open, armed on a node's monotonic clock, at rest, suspended, or parked.
//
// A timer fires at the first true instant at which its node's clock has reached it, so that a change of the clock's rate
// moves it.  Work counts only the time in which its task runs.  A timer due while its task is stopped is parked.
#pragma once

#include <algorithm>
#include <coroutine>

#include "sim/core/nodes.hpp"
#include "sim/core/scheduler.hpp"

namespace picklock {

class World;

class Timers {
 public:
  explicit Timers(World& world) : world_(world) {}
  void reset() { parked_count_ = 0; }

  SlotId open(SlotKind kind, NodeId n, void* target, const char* what);  // the running task opens it
  void arm(SlotId id, MonoTime due);
  void arm_timeout(SlotId id, Duration time);

  // --- waits that their task keeps.  While one rests it does not wake the task; a timer runs on, to be there for the
  // --- next wait.
  void rest(SlotId id);
  void rest_timer(SlotId id);
  void wait_again(SlotId id, std::coroutine_handle<> me);
  void wait_again_until(SlotId timer, std::coroutine_handle<> me, MonoTime due);
  bool is_set(SlotId timer, MonoTime due) const;

  // --- faults
  void park(SlotId id);
  void suspend_work(NodeId n);  // its stopped tasks keep their remaining waits
  void resume_work(NodeId n);
  void rearm(NodeId n);  // its clock runs at another rate

 private:
  bool is_armed(SlotId id) const;

  World& world_;
  std::uint64_t parked_count_ = 0;
};

}  // namespace picklock
