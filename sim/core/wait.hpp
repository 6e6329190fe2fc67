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
//
// A server that waits for each of its messages keeps one wait for them all:
//
//   StandingWait wait = service.standing_wait({.bell = &bell_});
//   for (;;) {
//     co_await wait.until(due);   // wait.next() needs no due time
//     …
//   }
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
  bool messages = true;           // messages for the node's mailbox count, too
  const char* what = "messages";  // static strings, for a stall report: of the wait, and of its timer
  const char* timer = "its timer";
};

// A wait's slots, and its place at the mailbox and at the bell.
class WaitSlots {
 public:
  WaitSlots(World& world, NodeId node, const WaitFor& what)
      : world_(world), node_(node), mailbox_(what.messages ? &world.nodes.mailbox(node) : nullptr), for_(what) {}
  WaitSlots(const WaitSlots&) = delete;
  WaitSlots& operator=(const WaitSlots&) = delete;
  [[gnu::always_inline]] ~WaitSlots() {
    if (wait_ != 0) close();
  }

  bool is_over() const;  // true if it was over before it began
  void wait_until(std::optional<MonoTime> until) { for_.until = until; }
  void begin(std::coroutine_handle<> me);
  void heed();   // a ring that was kept: it is over by this wait
  void rest();   // the task goes on, and will wait again: the slots stay open, and a timer armed
  void close();  // the task goes on, or ends; the bell may be gone by then

 private:
  friend class Bell;
  void begin_otherwise(std::coroutine_handle<> me);
  // A wait that stands goes on with the timer that it has, or needs none.
  bool stands() const {
    if (wait_ == 0) return false;
    return for_.until ? timer_ != 0 && world_.timers.is_set(timer_, *for_.until) : timer_ == 0;
  }
  void enter(), leave();  // mailbox and bell

  World& world_;
  NodeId node_;
  Mailbox* mailbox_;  // null: it waits for no message
  WaitFor for_;
  bool waits_ = false, rung_ = false;
  WaitId wait_ = 0, timer_ = 0;  // 0: not open
};

class [[nodiscard]] Wait {
 public:
  Wait(World& world, NodeId node, const WaitFor& what) : slots_(world, node, what) {}

  bool await_ready() const { return slots_.is_over(); }
  void await_suspend(std::coroutine_handle<> me) { slots_.begin(me); }
  void await_resume() {
    slots_.heed();
    slots_.close();
  }

 private:
  WaitSlots slots_;
};

// The waits of a task that waits again and again.  Its sources are named once; only the instant changes.
class StandingWait {
 public:
  class [[nodiscard]] Next {
   public:
    explicit Next(WaitSlots& slots) : slots_(slots) {}
    bool await_ready() const { return slots_.is_over(); }
    void await_suspend(std::coroutine_handle<> me) { slots_.begin(me); }
    void await_resume() {
      slots_.heed();
      slots_.rest();
    }

   private:
    WaitSlots& slots_;
  };

  StandingWait(World& world, NodeId node, const WaitFor& what) : slots_(world, node, what) {}
  Next next() { return Next(slots_); }  // waits until the same instant as before, if there is one
  Next until(std::optional<MonoTime> instant) {
    slots_.wait_until(instant);
    return Next(slots_);
  }

 private:
  WaitSlots slots_;
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
    waiter_->world_.tasks.wake(waiter_->wait_);
  }
  // The same, but without a waiting task the next wait ends at once.
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
    if (has_timer()) waiter_->world_.tasks.release(std::exchange(waiter_->timer_, 0));
  }

 private:
  friend class WaitSlots;
  WaitSlots* waiter_ = nullptr;
  bool kept_ = false;
};

[[gnu::always_inline]] inline bool WaitSlots::is_over() const {
  return (mailbox_ != nullptr && !mailbox_->inbox.empty()) || (for_.bell != nullptr && for_.bell->kept_);
}

[[gnu::always_inline]] inline void WaitSlots::begin(std::coroutine_handle<> me) {
  if (!stands()) return begin_otherwise(me);
  world_.timers.wait_again(wait_, me);
  if (timer_ != 0) world_.timers.wait_again(timer_, me);
  enter();
}

inline void WaitSlots::enter() {
  waits_ = true;
  if (mailbox_ != nullptr) mailbox_->reader = wait_;
  if (for_.bell == nullptr) return;
  PICKLOCK_CHECK(for_.bell->waiter_ == nullptr);
  for_.bell->waiter_ = this;
}

inline void WaitSlots::heed() {
  if (for_.bell != nullptr) for_.bell->kept_ = false;
}

inline void WaitSlots::leave() {
  waits_ = rung_ = false;
  if (mailbox_ != nullptr) mailbox_->reader = 0;
  if (for_.bell != nullptr) for_.bell->waiter_ = nullptr;
}

inline void WaitSlots::rest() {
  if (!waits_) return;
  leave();
  world_.timers.rest(wait_);
  if (timer_ != 0) world_.timers.rest_timer(timer_);
}

inline void WaitSlots::close() {
  if (waits_) leave();
  if (timer_ != 0) world_.tasks.release(std::exchange(timer_, 0));
  if (wait_ != 0) world_.tasks.release(std::exchange(wait_, 0));
}

}  // namespace picklock
