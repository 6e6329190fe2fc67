// Memory of one interpreter: bounded, small blocks from chunks and reused by their size, all of it given back at once.
//
// An interpreter that lives for one run of a simulation makes and forgets thousands of small blocks; its end costs nothing here,
// since nothing is taken apart.  Under AddressSanitizer each block comes from malloc(), so that a use beyond its end, or after
// it was given back, is noticed.
#pragma once

#include <array>
#include <cstddef>

#include "base/sanitizer.hpp"

namespace picklock {

class LuaMemory {
 public:
  explicit LuaMemory(std::size_t most) : most_(most) {}
  LuaMemory(const LuaMemory&) = delete;
  LuaMemory& operator=(const LuaMemory&) = delete;
  ~LuaMemory();

  // The block with another size: 0 before makes a new one (`block` is null), 0 after gives it back.  Null: `most` bytes are used up.
  void* resize(void* block, std::size_t before, std::size_t after);
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kGrain = 16;
  static constexpr bool kPools = PICKLOCK_ASAN == 0;
  static constexpr std::size_t kLargestSmall = 512;
  static constexpr std::size_t kChunk = std::size_t{32} << 10;

  struct Free {
    Free* next;
  };
  // Link before each large block and at the begin of each chunk: all that must be given back.
  struct alignas(kGrain) Link {
    Link *before, *after;
  };

  static bool is_small(std::size_t size) { return kPools && size <= kLargestSmall; }
  static std::size_t place_of(std::size_t size) { return (size - 1) / kGrain; }
  void* take(std::size_t size);
  void* take_small(std::size_t size);
  void* take_large(std::size_t size);
  void give_back(void* block, std::size_t size);
  void* resize_large(void* block, std::size_t after);
  void link(Link* made);
  void unlink(Link* gone);

  std::size_t most_, used_ = 0;
  std::array<Free*, kLargestSmall / kGrain> free_{};  // one list of free blocks per size class
  std::byte *rest_ = nullptr, *end_ = nullptr;        // unused part of the newest chunk
  Link* all_ = nullptr;
};

}  // namespace picklock
