#include "sim/core/scheduler.hpp"

#include <new>

#include "base/check.hpp"

namespace picklock {

void Scheduler::reset() {
  if (slots_.empty()) grow_slots();
  used_ = 1;
  size_ = 0;
  run_ = 0;
  line_.begin = line_.end = 0;
  line_.time = kNoTime;
  sequence_ = 0;
  free_ = 0;
}

// From the line, or from the heap by way of the run.
Scheduler::Due Scheduler::pop_otherwise(TrueTime latest) {
  if (run_ == 0) refill_run();
  if (empty() || next_time() > latest) return {};
  const bool line_is_first = run_ == 0 || (line_.begin != line_.end && before(first_in_line(), next_[run_ - 1]));
  if (!line_is_first) return taken_out(next_[--run_]);
  const Due due = taken_out(first_in_line());
  pass_on_in_line();
  return due;
}

// Takes the first events of the heap, so that events scheduled from now on find their places there.
void Scheduler::refill_run() {
  for (; size_ != 0 && run_ < kRefill; ++run_) {
    position_[slot_of(heap_[0])] = kNext;
    next_[run_] = pop_heap();
  }
  std::reverse(next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(run_));
}

// It goes to the heap if it fires after the run, and with it, if the run is full, the later half of the run.
void Scheduler::make_room_for(Event e) {
  const bool is_next = run_ != 0 && e.time < next_[0].time;
  if (is_next) {
    constexpr auto kHalf = static_cast<std::ptrdiff_t>(kMostNext / 2);
    std::for_each(next_.begin(), next_.begin() + kHalf, [this](Event later) { push(later); });
    std::copy(next_.begin() + kHalf, next_.end(), next_.begin());
    run_ -= kMostNext / 2;
    if (e.time < heap_[0].time) return put_next(e);
  }
  push(e);
}

void Scheduler::remove_from_heap(std::size_t i) {
  const Event last = heap_[--size_];
  if (i == size_) return;
  if (i != 0 && before(last, heap_[(i - 1) / 4])) {
    up(i, last);
  } else {
    down(i, last);
  }
}

std::size_t Scheduler::pending() const {
  std::size_t n = size_ + run_;
  for (std::size_t i = line_.begin; i != line_.end; ++i) {
    const Event& e = line_.events[i & line_.mask];
    n += slots_[slot_of(e)].key == e.key;
  }
  return n;
}

TrueTime Scheduler::time_of(SlotId id) const {
  const std::uint64_t key = slots_[id].key;
  if (position_[id] == kNext) return {static_cast<std::int64_t>(next_[place_of(key)].time)};
  if (position_[id] != kInLine) return {static_cast<std::int64_t>(heap_[position_[id]].time)};
  std::size_t i = line_.begin;
  while (line_.events[i & line_.mask].key != key) ++i;
  return {static_cast<std::int64_t>(line_.events[i & line_.mask].time)};
}

void Scheduler::grow_line() {
  std::vector<Event> longer(line_.events.size() * 2);
  const std::size_t length = line_.end - line_.begin;
  for (std::size_t i = 0; i < length; ++i) longer[i] = line_.events[(line_.begin + i) & line_.mask];
  line_.events.swap(longer);
  line_.mask = line_.events.size() - 1;
  line_.begin = 0;
  line_.end = length;
}

void Scheduler::grow_heap() {
  constexpr std::size_t kLead = 3, kFirst = 61;
  const std::size_t capacity = capacity_ == 0 ? kFirst : capacity_ * 2 + kLead;  // (n + 3) % 4 == 0
  void* const block = ::operator new ((capacity + kLead) * sizeof(Event), std::align_val_t{kCacheLine});
  auto* const raw = static_cast<Event*>(block);
  if (size_ != 0) std::memcpy(raw + kLead, heap_, size_ * sizeof(Event));
  free_heap();
  raw_ = raw;
  heap_ = raw + kLead;
  capacity_ = capacity;
}

void Scheduler::free_heap() { ::operator delete (raw_, std::align_val_t{kCacheLine}); }

void Scheduler::grow_slots() {
  PICKLOCK_CHECK(slots_.size() < (std::size_t{1} << 24));
  slots_.emplace_back();
  position_.emplace_back();
}

std::size_t Scheduler::bytes_reserved() const {
  return slots_.capacity() * sizeof(Slot) + position_.capacity() * sizeof(std::uint32_t) +
         (capacity_ + line_.events.capacity()) * sizeof(Event);
}

}  // namespace picklock
