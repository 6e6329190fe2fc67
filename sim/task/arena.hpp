// The memory of one world: free lists by size class, over chunks aligned to their own size.
//
// Coroutine frames and message bodies come from here and go back here, so that a run allocates
// nothing once its world has been used before.  A block finds its arena by masking its address; no
// thread-local is needed, and worlds in different threads never meet.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace picklock {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  void* allocate(std::size_t bytes);                             // 16-byte aligned, never null
  static void release(void* block, std::size_t bytes) noexcept;  // the size that was asked for

  void reset();                               // forget every block and keep the chunks; nothing may be live
  std::size_t live() const { return live_; }  // blocks handed out and not returned
  std::size_t bytes_reserved() const { return chunks_.size() * kChunk + large_bytes_; }

 private:
  static constexpr std::size_t kChunk = 16 * 1024;
  static constexpr std::size_t kGrain = 32;
  static constexpr std::size_t kClasses = 65;  // blocks of up to 2 KiB; larger ones come from malloc

  struct FreeBlock {
    FreeBlock* next;
  };
  struct Header {  // at the start of each chunk, and before each large block
    Arena* owner;
  };

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
