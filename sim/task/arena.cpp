#include "sim/task/arena.hpp"

#include "base/check.hpp"

#if PICKLOCK_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

namespace picklock {

Arena::~Arena() {
  for (std::byte* chunk : chunks_) {
    ASAN_UNPOISON_MEMORY_REGION(chunk, kChunk);
    ::operator delete (chunk, std::align_val_t{kChunk});
  }
}

inline void* Arena::take_fresh(std::size_t bytes) {
  if (static_cast<std::size_t>(end_ - next_) < bytes) {
    if (used_chunks_ == chunks_.size()) {
      void* const raw = ::operator new (kChunk, std::align_val_t{kChunk});
      chunks_.push_back(static_cast<std::byte*>(raw));
      new (raw) Header{this};
    }
    std::byte* const chunk = chunks_[used_chunks_++];
    next_ = chunk + kGrain;
    end_ = chunk + kChunk;
    ASAN_POISON_MEMORY_REGION(next_, kChunk - kGrain);
  }
  void* const block = next_;
  next_ += bytes;
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
  return block;
}

void* Arena::allocate_slowly(std::size_t bytes) {
  PICKLOCK_CHECK(bytes > 0);
  const std::size_t size_class = class_of(bytes);
  if (size_class >= kClasses) return allocate_large(bytes);
  ++live_;
  FreeBlock*& head = free_[size_class];
  if (head != nullptr) {
    FreeBlock* const block = head;
    ASAN_UNPOISON_MEMORY_REGION(block, size_class * kGrain);
    head = block->next;
    return block;
  }
  return take_fresh(size_class * kGrain);
}

void Arena::release_slowly(void* block, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= kClasses) {
    std::byte* const whole = static_cast<std::byte*>(block) - kGrain;
    Arena* const arena = reinterpret_cast<Header*>(whole)->owner;
    --arena->live_;
    arena->large_bytes_ -= bytes + kGrain;
    ::operator delete(whole);
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  Arena* const arena = reinterpret_cast<Header*>(address & ~(kChunk - 1))->owner;
  --arena->live_;
  auto* const freed = static_cast<FreeBlock*>(block);
  freed->next = arena->free_[size_class];
  arena->free_[size_class] = freed;
  ASAN_POISON_MEMORY_REGION(block, size_class * kGrain);
}

void Arena::reset() { PICKLOCK_CHECK(live_ == 0); }

void* Arena::allocate_large(std::size_t bytes) {
  void* const raw = ::operator new(bytes + kGrain);
  new (raw) Header{this};
  ++live_;
  large_bytes_ += bytes + kGrain;
  return static_cast<std::byte*>(raw) + kGrain;
}

}  // namespace picklock
