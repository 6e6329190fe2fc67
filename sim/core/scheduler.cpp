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
