// The event queue: slots that hold what may fire, and 16-byte events: the next ones in a sorted run, others in an indexed
// 4-ary heap, timeouts in a line.  Every event of the run fires before every event of the heap.  While little is pending,
// everything passes through the run alone, whose end fires next: a segment on its way is due in microseconds, and finds its
// place after few steps.  Where many events wait for later, they stand in the heap, whose first ones become the next run.
// A timeout is mostly due after those before it, and removed unfired: it stands at the end of the line, and what was removed
// is passed over when it comes to the front.
//
// An awaiter owns a slot.  Releasing the slot removes its event.  Events at one instant fire in the order in which they
// were scheduled.
// The sift carries the smallest 128-bit *value* along, not its index; written so, g++ and clang both
// compile it free of branches (tests/bench/ guards this).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/core/clock.hpp"

namespace picklock {

using SlotId = std::uint32_t;  // 0: none; fewer than 2^24

enum class SlotKind : std::uint8_t {
  free,
  wait,      // target: a coroutine; no clock involved
  timer,     // target: a coroutine; due on its node's monotonic clock
  work,      // target: a coroutine; due once its task has run that long
  exchange,  // target: an Exchange; due on the node's clock
  wire,      // argument: connection and direction; kernel and network, never stopped
  action     // argument: a world action; never stopped
};

struct Slot {
  // 0: nothing scheduled; otherwise the key of its event, or one of the marks below.
  std::uint64_t key = 0;
  void* target = nullptr;
  const char* what = nullptr;  // text for the stall report
  std::int64_t due = 0;        // local due time; suspended work: the rest of it
  std::uint32_t argument = 0;
  std::uint32_t root = 0;  // the task that waits
  std::uint16_t node = 0;
  SlotKind kind = SlotKind::free;
};

class Scheduler {
 public:
  // Keys without an event in the heap.  A parked slot's key is kParked | its place in line.
  static constexpr std::uint64_t kParked = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kFrozen = ~std::uint64_t{0};  // its clock stands still
  static constexpr std::uint64_t kSuspended = kFrozen - 1;     // work of a stopped task

  Scheduler() { reset(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler() { free_heap(); }

  SlotId open(SlotKind kind, std::uint16_t node, void* target) {
    SlotId id = free_;
    if (id != 0) {
      free_ = slots_[id].argument;
    } else {
      id = used_++;
      if (id == slots_.size()) [[unlikely]]
        grow_slots();
    }
    Slot& s = slots_[id];
    s.key = 0;
    s.target = target;
    s.argument = 0;
    s.root = 0;
    s.node = node;
    s.kind = kind;
    return id;
  }
  void close(SlotId id) noexcept {
    cancel(id);
    Slot& s = slots_[id];
    s.kind = SlotKind::free;
    s.argument = free_;
    free_ = id;
  }

  // The slot may not be scheduled already.
  void schedule(SlotId id, TrueTime at) {
    if (at == kNever) [[unlikely]] {
      slots_[id].key = kFrozen;
      return;
    }
    const std::uint64_t key = ++sequence_ << 24 | id;
    slots_[id].key = key;
    const Event e{static_cast<std::uint64_t>(at.ns), key};
    const bool is_next = size_ == 0 || e.time < heap_[0].time;
    if (!is_next || run_ == kMostNext) [[unlikely]]
      return make_room_for(e);
    put_next(e);
  }
  // The same for an event that is mostly cancelled before it fires, and mostly due after the last one scheduled so.
  void schedule_timeout(SlotId id, TrueTime at) {
    const auto time = static_cast<std::uint64_t>(at.ns);
    const bool fires_last = line_.begin == line_.end || time >= line_.events[(line_.end - 1) & line_.mask].time;
    if (at == kNever || !fires_last) return schedule(id, at);
    const std::uint64_t key = ++sequence_ << 24 | id;
    slots_[id].key = key;
    position_[id] = kInLine;
    if (line_.begin == line_.end) line_.time = time;
    if (line_.end - line_.begin > line_.mask) grow_line();
    line_.events[line_.end++ & line_.mask] = {time, key};
  }
  void cancel(SlotId id) noexcept {
    const std::uint64_t key = std::exchange(slots_[id].key, 0);
    if (key == 0 || key >= kParked) return;
    const std::uint32_t position = position_[id];
    if (position == kInLine) {
      if (first_in_line().key == key) pass_on_in_line();
    } else if (position == kNext) {
      remove_next(key);
    } else {
      remove_from_heap(position);
    }
  }
  bool is_scheduled(SlotId id) const { return slots_[id].key != 0 && slots_[id].key < kParked; }

  bool empty() const { return (size_ | run_) == 0 && line_.begin == line_.end; }
  std::size_t pending() const;
  TrueTime next_time() const {
    const std::uint64_t others = run_ != 0 ? next_[run_ - 1].time : size_ != 0 ? heap_[0].time : kNoTime;
    return {static_cast<std::int64_t>(std::min(others, line_.time))};
  }
  // Takes the next event out if it is due by then; the key of its slot becomes 0.  Slot 0: none is.
  struct Due {
    SlotId slot = 0;
    TrueTime at;
  };
  Due pop_by(TrueTime latest) {
    if (run_ == 0 || next_[run_ - 1].time >= line_.time) [[unlikely]]
      return pop_otherwise(latest);
    const Event& next = next_[run_ - 1];
    if (static_cast<std::int64_t>(next.time) > latest.ns) return {};
    --run_;
    return taken_out(next);
  }

  Slot& operator[](SlotId id) { return slots_[id]; }
  const Slot& operator[](SlotId id) const { return slots_[id]; }
  SlotId slot_count() const { return used_; }  // ids are 1 … count - 1
  // Time at which the event of a scheduled slot fires.
  TrueTime time_of(SlotId id) const;

  void reset();
  std::size_t bytes_reserved() const;

 private:
  struct Event {
    std::uint64_t time, key;
  };
  __extension__ using Wide = unsigned __int128;
  static Wide rank(const Event& e) { return static_cast<Wide>(e.time) << 64 | e.key; }
  static bool before(const Event& a, const Event& b) { return rank(a) < rank(b); }
  static SlotId slot_of(const Event& e) { return static_cast<SlotId>(e.key & 0xffffff); }

  Due taken_out(const Event& e) {
    const SlotId id = slot_of(e);
    slots_[id].key = 0;
    return {id, {static_cast<std::int64_t>(e.time)}};
  }
  Due pop_otherwise(TrueTime latest);
  void refill_run();

  // --- the run of the next events: next_[run_ - 1] fires first, next_[0] last
  static constexpr std::uint32_t kNext = ~std::uint32_t{0};  // position_ of an event in the run
  static constexpr std::uint32_t kInLine = kNext - 1;        // position_ of an event in the line
  static constexpr std::size_t kMostNext = 64, kRefill = 32;

  // The new event is the youngest: it comes after those of its instant, so that times alone decide.
  void put_next(Event e) {
    std::size_t i = run_++;
    for (; i > 0 && e.time >= next_[i - 1].time; --i) next_[i] = next_[i - 1];
    next_[i] = e;
    position_[slot_of(e)] = kNext;
  }
  void make_room_for(Event e);
  std::size_t place_of(std::uint64_t key) const {
    std::size_t i = run_ - 1;
    while (next_[i].key != key) --i;
    return i;
  }
  void remove_next(std::uint64_t key) {
    const std::size_t place = place_of(key);
    --run_;
    for (std::size_t i = place; i < run_; ++i) next_[i] = next_[i + 1];
  }

  // --- the line of timeouts, a ring: the first one is never a cancelled one
  static constexpr std::uint64_t kNoTime = ~std::uint64_t{0};
  struct Line {
    std::vector<Event> events = std::vector<Event>(1);  // a power of two of them
    std::size_t begin = 0, end = 0, mask = 0;
    std::uint64_t time = kNoTime;  // time of the first event
  };
  const Event& first_in_line() const { return line_.events[line_.begin & line_.mask]; }
  void pass_on_in_line() noexcept {
    do ++line_.begin;
    while (line_.begin != line_.end && slots_[slot_of(first_in_line())].key != first_in_line().key);
    line_.time = line_.begin == line_.end ? kNoTime : first_in_line().time;
  }
  void grow_line();

  // --- the heap of all others
  Event pop_heap() {
    const Event first = heap_[0], last = heap_[--size_];
    if (size_ != 0) down(0, last);
    return first;
  }
  void push(Event e) {
    if (size_ == capacity_) grow_heap();
    up(size_++, e);
  }
  void place(std::size_t i, Event e) {
    heap_[i] = e;
    position_[slot_of(e)] = static_cast<std::uint32_t>(i);
  }
  void up(std::size_t i, Event e) {
    while (i != 0) {
      const std::size_t parent = (i - 1) / 4;
      if (!before(e, heap_[parent])) break;
      place(i, heap_[parent]);
      i = parent;
    }
    place(i, e);
  }
  void down(std::size_t i, Event e) {
    for (;;) {
      const std::size_t first = i * 4 + 1;
      if (first >= size_) break;
      std::size_t smallest = first;
      if (first + 4 <= size_) {
        Wide best = rank(heap_[first]);
        for (std::size_t k = first + 1; k < first + 4; ++k) {
          const Wide candidate = rank(heap_[k]);
          const bool less = candidate < best;
          best = less ? candidate : best;
          smallest = less ? k : smallest;
        }
      } else {
        for (std::size_t k = first + 1; k < size_; ++k) {
          if (before(heap_[k], heap_[smallest])) smallest = k;
        }
      }
      if (!before(heap_[smallest], e)) break;
      place(i, heap_[smallest]);
      i = smallest;
    }
    place(i, e);
  }
  void remove_from_heap(std::size_t i);
  void grow_heap();
  void free_heap();
  void grow_slots();

  static constexpr std::size_t kCacheLine = 64;
  std::vector<Slot> slots_;  // slots beyond `used_` are left from earlier runs
  SlotId used_ = 1;
  std::vector<std::uint32_t> position_;  // place of each slot's event in the heap, or kNext, or kInLine
  std::array<Event, kMostNext> next_;
  std::size_t run_ = 0;  // length of the run
  Line line_;
  Event *raw_ = nullptr, *heap_ = nullptr;  // heap_ = raw_ + 3: four children share a cache line
  std::size_t size_ = 0, capacity_ = 0;
  std::uint64_t sequence_ = 0;
  SlotId free_ = 0;
};

}  // namespace picklock
