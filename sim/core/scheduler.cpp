#include "sim/core/scheduler.hpp"

#include <new>

#include "base/check.hpp"

namespace picklock {

void Scheduler::reset() {
  slots_.assign(1, {});
  position_.assign(1, 0);
  size_ = 0;
  first_ = end_ = 0;
  sequence_ = 0;
  free_ = 0;
}

void Scheduler::make_room_for(Event e) {
  std::size_t i = end_;
  while (i > first_ && e.time < next_[i - 1].time) --i;
  while (end_ - i > kMostBehind || end_ - first_ == kMostNext) {
    if (end_ == i) return push_youngest(e);
    push(next_[--end_]);
  }
  if (end_ == next_.size()) {
    std::copy(next_.begin() + static_cast<std::ptrdiff_t>(first_), next_.end(), next_.begin());
    i -= first_, end_ -= first_, first_ = 0;
  }
  for (std::size_t k = end_++; k > i; --k) next_[k] = next_[k - 1];
  next_[i] = e;
  position_[slot_of(e)] = kNext;
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
