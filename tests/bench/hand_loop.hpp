// A minimal loop over timers, against which the engine is measured.
//
// A 4-ary heap of (time, order, coroutine) and nothing else: one clock, no cancellation, no slots, no
// nodes, no trace, no limits.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace picklock::bench {

class HandLoop {
 public:
  struct Sleep {
    HandLoop& loop;
    std::uint64_t d;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> me) { loop.push({loop.now_ + d, loop.order_++, me}); }
    void await_resume() {}
  };
  Sleep sleep(std::uint64_t d) { return {*this, d}; }

  void run() {
    while (!heap_.empty()) {
      const Event e = pop();
      now_ = e.time;
      e.coroutine.resume();
    }
  }

  // A coroutine that starts at once and destroys itself.
  struct Actor {
    struct promise_type {
      Actor get_return_object() { return {}; }
      std::suspend_never initial_suspend() { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::abort(); }
    };
  };

 private:
  struct Event {
    std::uint64_t time, order;
    std::coroutine_handle<> coroutine;
  };
  static bool before(const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.order < b.order; }
  void push(Event e) {
    heap_.push_back(e);
    std::size_t i = heap_.size() - 1;
    while (i != 0) {
      const std::size_t parent = (i - 1) / 4;
      if (!before(e, heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = e;
  }
  Event pop() {
    const Event top = heap_[0], last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    if (n == 0) return top;
    std::size_t i = 0;
    for (;;) {
      const std::size_t first = i * 4 + 1;
      if (first >= n) break;
      const std::size_t end = first + 4 < n ? first + 4 : n;
      std::size_t least = first;
      for (std::size_t k = first + 1; k < end; ++k) {
        if (before(heap_[k], heap_[least])) least = k;
      }
      if (!before(heap_[least], last)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = last;
    return top;
  }

  std::vector<Event> heap_;
  std::uint64_t now_ = 0, order_ = 0;
};

inline std::uint64_t next_random(std::uint64_t& r) {
  r = r * 6364136223846793005u + 1442695040888963407u;
  return 1 + (r >> 40) % 1'000'000;
}

inline HandLoop::Actor hand_actor(HandLoop& loop, std::uint64_t r, std::int64_t& left) {
  while (left-- > 0) co_await loop.sleep(next_random(r));
}

// Fires `events` timers, of which `pending` are armed at a time.
inline void turn_hand_loop(std::int64_t pending, std::int64_t events) {
  HandLoop loop;
  for (std::int64_t i = 0; i < pending; ++i) {
    hand_actor(loop, static_cast<std::uint64_t>(i * 7919 + 1), events);
  }
  loop.run();
}

}  // namespace picklock::bench
