// The runtime stands behind every Host: the simulated world, or one day a real machine.
//
// A task waits through a *wait*: the awaiter opens it with the coroutine to be resumed, a clock or `wake`
// ends it, and the awaiter's destructor releases it.  So destroying a task cancels all its waits.
#pragma once

#include <coroutine>
#include <cstdint>
#include <string_view>

#include "base/law.hpp"
#include "base/time.hpp"
#include "sim/task/arena.hpp"
#include "sim/task/mark.hpp"
#include "sim/task/purpose.hpp"

namespace picklock {

using NodeId = std::uint16_t;
using WaitId = std::uint32_t;  // 0: none

// Deadlines that a fault generator may aim at: it draws durations relative to those in play.
enum class DeadlineKind : std::uint8_t { lease, validity, session_timeout, renewal };

struct PromiseBase;

class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // --- the trampoline: a coroutine does not resume another one; it names the next
  std::coroutine_handle<> next;
  void run(std::coroutine_handle<> coroutine) {
    do {
      next = {};
      coroutine.resume();
      coroutine = next;
    } while (coroutine);
  }
  virtual void root_finished(PromiseBase& root) noexcept = 0;

  Arena& arena() { return arena_; }

  // --- clocks and draws of a node
  virtual MonoTime monotonic_now(NodeId) const = 0;
  virtual WallTime wall_now(NodeId) const = 0;
  virtual std::uint64_t draw(NodeId, Purpose) = 0;
  virtual std::int64_t draw(NodeId, Purpose, const Law&) = 0;

  // --- waits; `what` is a static string that a stall report shows
  virtual WaitId wait(NodeId, std::coroutine_handle<>, const char* what) = 0;
  virtual WaitId wait_until(NodeId, std::coroutine_handle<>, MonoTime due, const char* what) = 0;
  virtual WaitId work(NodeId, std::coroutine_handle<>, Duration amount) = 0;
  // This wait lasts as long as the task has just drawn: a re-seeding may draw the rest anew.  `law` outlives the wait.
  virtual void lasts_as_drawn(WaitId, Purpose, const Law&, Duration /*drawn*/) {}
  virtual void wake(WaitId) = 0;  // resumes at this instant, behind what is already due
  virtual void release(WaitId) noexcept = 0;

  // --- preemption points: false if the process or the task was stopped there, and then must wait
  virtual bool pass(NodeId, MarkSide, Mark) = 0;
  virtual WaitId wait_until_continued(NodeId, std::coroutine_handle<>) = 0;

  virtual void spawn(NodeId, std::string_view name, PromiseBase& root) = 0;
  // Ends the process at this instant by its own error.  None of its code runs any more, not even the caller.
  virtual void panic(NodeId, const char* why) = 0;
  virtual void announce_deadline(NodeId, DeadlineKind, MonoTime due) = 0;
  virtual void declare_state(NodeId, std::uint64_t state) = 0;

 protected:
  ~Runtime() = default;
  Arena arena_;
};

}  // namespace picklock
