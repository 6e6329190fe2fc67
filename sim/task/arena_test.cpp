#include "sim/task/arena.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sim/task/payload.hpp"

namespace picklock {
namespace {

struct Block {
  unsigned char* at;
  std::size_t bytes;
  unsigned char fill;
};

Block filled_block(Arena& arena, std::size_t bytes, unsigned char fill) {
  auto* const at = static_cast<unsigned char*>(arena.allocate(bytes));
  std::memset(at, fill, bytes);
  return {at, bytes, fill};
}

bool intact(const Block& b) {
  for (std::size_t i = 0; i < b.bytes; ++i) {
    if (b.at[i] != b.fill) return false;
  }
  return true;
}

TEST(Arena, ABlockIsAlignedForAnything) {
  Arena arena;
  for (const std::size_t bytes : {1U, 16U, 31U, 32U, 33U, 500U, 2047U, 2048U, 2049U, 100'000U}) {
    void* const block = arena.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U) << bytes;
    Arena::release(block, bytes);
  }
  EXPECT_EQ(arena.live(), 0U);
}

TEST(Arena, AReturnedBlockIsHandedOutAgain) {
  Arena arena;
  void* const first = arena.allocate(100);
  Arena::release(first, 100);
  EXPECT_EQ(arena.allocate(120), first) << "100 and 120 bytes are of one size class";
  EXPECT_NE(arena.allocate(120), first);
  Arena::release(first, 120);
  EXPECT_NE(arena.allocate(200), first) << "of another size class";
}

TEST(Arena, AUsedArenaReservesNothingMore) {
  Arena arena;
  std::size_t reserved = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<Block> blocks;
    for (std::size_t bytes = 1; bytes <= 2048; bytes += 13) {
      blocks.push_back(filled_block(arena, bytes, 1));
    }
    if (round == 0) reserved = arena.bytes_reserved();
    EXPECT_EQ(arena.bytes_reserved(), reserved) << "round " << round;
    for (const Block& b : blocks) Arena::release(b.at, b.bytes);
  }
  EXPECT_GT(reserved, 100'000U);
}

TEST(Arena, AResetArenaServesTheSameMemoryAgain) {
  Arena arena;
  std::vector<void*> first, second;
  for (int i = 0; i < 1000; ++i) first.push_back(arena.allocate(96));
  const std::size_t reserved = arena.bytes_reserved();
  for (void* block : first) Arena::release(block, 96);
  arena.reset();
  for (int i = 0; i < 1000; ++i) second.push_back(arena.allocate(96));
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(second, first);
  EXPECT_EQ(arena.bytes_reserved(), reserved);
}

TEST(ArenaDeathTest, AnArenaInUseIsNotReset) {
  Arena arena;
  arena.allocate(8);
  EXPECT_DEATH(arena.reset(), "broken invariant");
}

TEST(Arena, ALargeBlockIsGivenBackToTheSystem) {
  Arena arena;
  const std::size_t before = arena.bytes_reserved();
  void* const block = arena.allocate(50'000);
  EXPECT_GE(arena.bytes_reserved(), before + 50'000);
  EXPECT_EQ(arena.live(), 1U);
  Arena::release(block, 50'000);
  EXPECT_EQ(arena.bytes_reserved(), before);
  EXPECT_EQ(arena.live(), 0U);
}

TEST(Arena, ABlockFindsItsOwnArena) {
  Arena a, b;
  void* const of_a = a.allocate(64);
  void* const of_b = b.allocate(64);
  Arena::release(of_a, 64);
  EXPECT_EQ(a.live(), 0U);
  EXPECT_EQ(b.live(), 1U);
  Arena::release(of_b, 64);
}

// Whatever is allocated and returned in whatever order: blocks never overlap, and all are counted.
RC_GTEST_PROP(ArenaProperty, BlocksNeverOverlap, ()) {
  Arena arena;
  std::vector<Block> blocks;
  const auto steps = *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::arbitrary<std::uint16_t>());
  unsigned char fill = 0;
  for (const std::uint16_t step : steps) {
    if (step % 3 == 0 && !blocks.empty()) {
      const std::size_t which = step % blocks.size();
      RC_ASSERT(intact(blocks[which]));
      Arena::release(blocks[which].at, blocks[which].bytes);
      blocks[which] = blocks.back();
      blocks.pop_back();
    } else {
      blocks.push_back(filled_block(arena, 1 + step % 2500, ++fill));
    }
    RC_ASSERT(arena.live() == blocks.size());
  }
  for (const Block& b : blocks) {
    RC_ASSERT(intact(b));
    Arena::release(b.at, b.bytes);
  }
  RC_ASSERT(arena.live() == 0U);
}

TEST(Payload, HoldsACopyAndGivesTheBlockBack) {
  Arena arena;
  {
    std::string text = "SET door 1";
    Payload bytes(arena, text);
    text.assign(text.size(), 'x');
    EXPECT_EQ(bytes.view(), "SET door 1");
    EXPECT_EQ(arena.live(), 1U);

    Payload moved(std::move(bytes));
    EXPECT_EQ(moved.view(), "SET door 1");
    EXPECT_TRUE(bytes.empty());  // NOLINT: a moved-from payload is empty, by contract
    bytes = std::move(moved);
    EXPECT_EQ(bytes.view(), "SET door 1");
    EXPECT_EQ(arena.live(), 1U);

    bytes = Payload(arena, "other");
    EXPECT_EQ(bytes.view(), "other");
    EXPECT_EQ(arena.live(), 1U);
  }
  EXPECT_EQ(arena.live(), 0U);
}

struct Greeting {
  std::string text;
  std::vector<int> numbers = {};
  bool operator==(const Greeting&) const = default;
};
void encode(const Greeting& g, std::string& to) { to += g.text + "!"; }
struct OtherGreeting {
  std::string text;
};

TEST(Payload, AValueArrivesAsItWasSent) {
  Arena arena;
  {
    const std::string text = "longer than what a string keeps in place";
    Payload sent = Payload::of(arena, Greeting{text, {1, 2, 3}});
    Payload arrived(std::move(sent));
    EXPECT_EQ(sent.get<Greeting>(), nullptr);  // NOLINT: a moved-from payload is empty, by contract
    EXPECT_TRUE(sent.empty());
    EXPECT_FALSE(arrived.empty());
    EXPECT_EQ(arrived.view(), "") << "it is no text";
    EXPECT_EQ(arrived.get<OtherGreeting>(), nullptr) << "another service's";
    const Payload twin = arrived.copy(arena);
    ASSERT_NE(arrived.get<Greeting>(), nullptr);
    const Greeting taken = std::move(*arrived.get<Greeting>());
    EXPECT_EQ(taken, (Greeting{text, {1, 2, 3}}));
    ASSERT_NE(twin.get<Greeting>(), nullptr);
    EXPECT_EQ(*twin.get<Greeting>(), taken) << "a copy stands alone";
    EXPECT_EQ(arena.live(), 2U);
    arrived = Payload(arena, "text");
    EXPECT_EQ(arrived.get<Greeting>(), nullptr);
    EXPECT_EQ(arrived.view(), "text");
  }
  EXPECT_EQ(arena.live(), 0U);
}

TEST(Payload, BytesAreMadeOfAValueWhenTheyAreAskedFor) {
  Arena arena;
  const Payload value = Payload::of(arena, Greeting{"hail"}), text(arena, "hail!");
  EXPECT_EQ(value.bytes(), "hail!");
  EXPECT_EQ(text.bytes(), "hail!");
  EXPECT_EQ(value.hash(), text.hash()) << "of the bytes";
  EXPECT_NE(value.hash(), Payload::of(arena, Greeting{"hello"}).hash());
  EXPECT_EQ(Payload().bytes(), "");
}

TEST(Payload, AnEmptyTextTakesNoMemory) {
  Arena arena;
  const Payload bytes(arena, "");
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(bytes.view(), "");
  EXPECT_EQ(arena.live(), 0U);
}

}  // namespace
}  // namespace picklock
