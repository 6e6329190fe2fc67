#include "sim/lua/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace picklock {
namespace lua_memory_test {

struct Block {
  unsigned char* at = nullptr;
  std::size_t size = 0;
  unsigned char filled = 0;
  bool is_intact(std::size_t first) const {
    for (std::size_t i = 0; i < first; ++i) {
      if (at[i] != filled) return false;
    }
    return true;
  }
};

// Blocks of all sizes that come, grow, shrink and go: none overlaps another, and what a block has stays in it.
TEST(LuaMemory, KeepsBlocksApart) {
  LuaMemory memory(std::size_t{4} << 20);
  std::vector<Block> blocks(200);
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % most;
  };
  std::size_t used = 0;
  for (int step = 0; step < 50'000; ++step) {
    Block& block = blocks[draw(blocks.size())];
    const std::size_t size = draw(4) == 0 ? 0 : draw(10) == 0 ? draw(4000) : draw(600);
    ASSERT_TRUE(block.is_intact(block.size)) << step;
    auto* const moved = static_cast<unsigned char*>(memory.resize(block.at, block.size, size));
    ASSERT_EQ(moved == nullptr, size == 0);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(moved) % alignof(std::max_align_t), 0U);
    used += size - block.size;
    ASSERT_EQ(memory.used(), used);
    const Block kept{moved, size, block.filled};
    ASSERT_TRUE(kept.is_intact(std::min(block.size, size))) << step;
    block = {moved, size, static_cast<unsigned char>(step)};
    if (moved != nullptr) std::memset(moved, block.filled, size);
  }
}

TEST(LuaMemory, IsBounded) {
  LuaMemory memory(1000);
  void* const first = memory.resize(nullptr, 0, 900);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(memory.resize(nullptr, 0, 101), nullptr);
  EXPECT_EQ(memory.resize(first, 900, 1001), nullptr);
  void* const second = memory.resize(nullptr, 0, 100);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(memory.used(), 1000U);
  EXPECT_EQ(memory.resize(second, 100, 0), nullptr);
  EXPECT_NE(memory.resize(first, 900, 10), nullptr);
  EXPECT_EQ(memory.used(), 10U);
}

}  // namespace lua_memory_test
}  // namespace picklock
