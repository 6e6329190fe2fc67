// Working memory that is kept between runs: tables appear by moving a pointer and all vanish at
// once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace picklock {

class Workspace {
 public:
  // A table of `size` copies of `initial`, valid until `reset`.
  template <class T>
  std::span<T> table(std::size_t size, const T& initial = T{}) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= kAlignment);
    T* const first = reinterpret_cast<T*>(take(size * sizeof(T)));
    std::uninitialized_fill_n(first, size, initial);
    return {first, size};
  }

  // Makes elements that are nothing but zeros.
  template <class T>
  std::span<T> zeros(std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= kAlignment);
    std::byte* const bytes = take(size * sizeof(T));
    std::memset(bytes, 0, size * sizeof(T));
    return {reinterpret_cast<T*>(bytes), size};
  }

  // Forgets all tables and keeps the memory, as one block.
  void reset() {
    if (blocks_.size() > 1) merge();
    used_ = 0;
  }

 private:
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);
  static constexpr std::size_t kFirstBlock = 16 * 1024;

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  std::byte* take(std::size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (blocks_.empty() || blocks_.back().size - used_ < bytes) grow(bytes);
    std::byte* const place = blocks_.back().bytes.get() + used_;
    used_ += bytes;
    return place;
  }

  void grow(std::size_t bytes) {
    const std::size_t last = blocks_.empty() ? kFirstBlock / 2 : blocks_.back().size;
    add(std::max(2 * last, bytes));
  }

  void add(std::size_t size) {
    blocks_.push_back(Block{std::unique_ptr<std::byte[]>(new std::byte[size]), size});
    used_ = 0;
  }

  void merge() {
    std::size_t total = 0;
    for (const Block& block : blocks_) total += block.size;
    blocks_.clear();
    add(total);
  }

  std::vector<Block> blocks_;  // only the last one has room
  std::size_t used_ = 0;       // bytes used in the last block
};

}  // namespace picklock
