// The memory of one world: free lists by size class, over chunks aligned to their own size.
//
// Coroutine frames and message bodies come from here and go back here, so that a run allocates
// nothing once its world has been used before.  A block finds its arena by masking its address; no
// thread-local is needed, and worlds in different threads never meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "base/sanitizer.hpp"

namespace picklock {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // 16-byte aligned, never null.
  void* allocate(std::size_t bytes) {
    const std::size_t size_class = class_of(bytes);
    if (kMarksFreeMemory || size_class >= kClasses || free_[size_class] == nullptr) return allocate_slowly(bytes);
    ++live_;
    return std::exchange(free_[size_class], free_[size_class]->next);
  }
  // The size that was asked for.
  static void release(void* block, std::size_t bytes) noexcept {
    const std::size_t size_class = class_of(bytes);
    if (kMarksFreeMemory || size_class >= kClasses) return release_slowly(block, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    Arena* const arena = reinterpret_cast<Header*>(address & ~std::uintptr_t{kChunk - 1})->owner;
    --arena->live_;
    arena->free_[size_class] = new (block) FreeBlock{arena->free_[size_class]};
  }

  void reset();                               // prepares another run with the same blocks; nothing may be live
  std::size_t live() const { return live_; }  // blocks handed out and not returned
  std::size_t bytes_reserved() const { return chunks_.size() * kChunk + large_bytes_; }

 private:
  static constexpr std::size_t kChunk = 16 * 1024;
  static constexpr std::size_t kGrain = 32;
  static constexpr std::size_t kClasses = 65;  // blocks of up to 2 KiB; larger ones come from malloc

  struct FreeBlock {
    FreeBlock* next;
  };
  struct Header {  // precedes each chunk and each large block
    Arena* owner;
  };

  static constexpr bool kMarksFreeMemory = PICKLOCK_ASAN != 0;  // a sanitizer is told which blocks are free

  static constexpr std::size_t class_of(std::size_t bytes) { return (bytes + kGrain - 1) / kGrain; }
  void* allocate_slowly(std::size_t bytes);
  static void release_slowly(void* block, std::size_t bytes) noexcept;
  void* take_fresh(std::size_t bytes);
  void* allocate_large(std::size_t bytes);

  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::array<FreeBlock*, kClasses> free_{};
  std::size_t live_ = 0;
  std::size_t used_chunks_ = 0;
  std::size_t large_bytes_ = 0;
  std::vector<std::byte*> chunks_;
};

}  // namespace picklock
