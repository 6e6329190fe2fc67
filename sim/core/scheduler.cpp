#include "sim/core/scheduler.hpp"

#include <new>

#include "base/check.hpp"

namespace picklock {

void Scheduler::reset() {
  if (slots_.empty()) grow_slots();
  used_ = 1;
  size_ = 0;
  run_ = 0;
  sequence_ = 0;
  free_ = 0;
}

// It goes to the heap if it fires after the run, and with it, if the run is full, the later half of the run.
void Scheduler::make_room_for(Event e) {
  if (e.time >= next_[0].time) return push_youngest(e);
  constexpr auto kHalf = static_cast<std::ptrdiff_t>(kMostNext / 2);
  std::for_each(next_.begin(), next_.begin() + kHalf, [this](Event later) { push(later); });
  std::copy(next_.begin() + kHalf, next_.end(), next_.begin());
  run_ -= kMostNext / 2;
  if (e.time < heap_[0].time) return put_next(e);
  push_youngest(e);
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
  return slots_.capacity() * sizeof(Slot) + position_.capacity() * sizeof(std::uint32_t) + capacity_ * sizeof(Event);
}

}  // namespace picklock
