// Waiting for a message, an instant, or a bell: whichever comes first.
//
//   Bell bell_;                                                   // a member of the server
//   co_await service.wait({.until = due, .bell = &bell_});        // one task of the process waits
//   bell_.ring();                                                 // another one has work for it
//
// The wait ends when a message is in the process's mailbox (at once, if one is there already), when the local
// monotonic clock reaches `until`, or when the bell is rung.  It does not say which of these happened: the task looks
// at its mailbox and at the clock.  A mailbox has one reader at a time, and a bell has one task that waits for it.
//
// A wait belongs to its coroutine: the end of the process takes it back, from the mailbox and from the bell.  A bell
// may die before the wait that hangs on it, and a wait before its bell.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "sim/core/world.hpp"

namespace picklock {

class Bell;

struct WaitFor {
  std::optional<MonoTime> until = {};  // none: no timer is armed
  Bell* bell = nullptr;
  bool messages = true;           // also for the mailbox of the node
  const char* what = "messages";  // static strings, for a stall report: of the wait, and of its timer
  const char* timer = "its timer";
};

class [[nodiscard]] Wait {
 public:
  Wait(World& world, NodeId node, const WaitFor& what) : world_(world), node_(node), for_(what) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  [[gnu::always_inline]] ~Wait() {
    if (wait_ != 0) end();
  }

  bool await_ready() const;
  void await_suspend(std::coroutine_handle<> me);
  void await_resume();

 private:
  friend class Bell;
  void end();

  World& world_;
  NodeId node_;
  WaitFor for_;
  bool rung_ = false;
  WaitId wait_ = 0, timer_ = 0;  // 0: not open
};

class Bell {
 public:
  Bell() = default;
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell() {
    if (waiter_ != nullptr) waiter_->for_.bell = nullptr;
  }

  // Wakes the task that waits, at this instant and behind what is already due.  Without one the ring is lost.
  void ring() {
    if (waiter_ == nullptr || waiter_->rung_) return;
    waiter_->rung_ = true;
    waiter_->world_.wake(waiter_->wait_);
  }
  // …; without one the next wait ends at once.
  void ring_now_or_next() {
    if (waiter_ == nullptr) kept_ = true;
    ring();
  }
  // Wakes the task if it would sleep past `due`.
  void ring_before(MonoTime due) {
    if (waiter_ != nullptr && (!waiter_->for_.until || due < *waiter_->for_.until)) ring();
  }
  // Forgets a ring that was kept for the next wait: a new process begins.
  void forget() { kept_ = false; }

  bool has_waiter() const { return waiter_ != nullptr; }
  // The timer of the task that waits; without it only a message or a ring wakes the task.
  bool has_timer() const { return waiter_ != nullptr && waiter_->timer_ != 0; }
  void drop_timer() {
    if (has_timer()) waiter_->world_.release(std::exchange(waiter_->timer_, 0));
  }

 private:
  friend class Wait;
  Wait* waiter_ = nullptr;
  bool kept_ = false;
};

inline bool Wait::await_ready() const {
  return (for_.messages && !world_.inbox(node_).empty()) || (for_.bell != nullptr && for_.bell->kept_);
}

inline void Wait::await_suspend(std::coroutine_handle<> me) {
  wait_ = world_.wait(node_, me, for_.what);
  if (for_.until) timer_ = world_.wait_until(node_, me, *for_.until, for_.timer);
  if (for_.messages) world_.set_receiver(node_, wait_);
  if (for_.bell == nullptr) return;
  PICKLOCK_CHECK(for_.bell->waiter_ == nullptr);
  for_.bell->waiter_ = this;
}

inline void Wait::await_resume() {
  if (for_.bell != nullptr) for_.bell->kept_ = false;
  if (wait_ != 0) end();
}

inline void Wait::end() {
  if (for_.messages) world_.set_receiver(node_, 0);
  if (for_.bell != nullptr) for_.bell->waiter_ = nullptr;
  if (timer_ != 0) world_.release(std::exchange(timer_, 0));
  world_.release(std::exchange(wait_, 0));
}

}  // namespace picklock
