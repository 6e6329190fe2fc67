#include "checker/sparse_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace picklock {
namespace {

// Few keys collide and come back often; many make the map grow an index and lose it entry by entry.
class AgainstStdMap : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AgainstStdMap, HoldsTheSame) {
  std::mt19937_64 random(GetParam());
  SparseMap<std::int64_t, int> map;
  std::map<std::int64_t, int> reference;
  for (int step = 0; step < 20'000; ++step) {
    const auto key = static_cast<std::int64_t>(random() % GetParam()) * 65'536 - 5;
    if (random() % 3 == 0) {
      map.erase(key);
      reference.erase(key);
    } else {
      ASSERT_EQ(map[key], reference[key]) << step;
      map[key] = reference[key] = step;
    }
    ASSERT_EQ(map.size(), reference.size());
  }
  for (const auto& [key, value] : reference) {
    ASSERT_NE(map.find(key), nullptr);
    EXPECT_EQ(*map.find(key), value);
  }
  EXPECT_EQ(map.find(-1), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Keys, AgainstStdMap, testing::Values(1, 7, 9, 40, 1000, 1'000'000));

TEST(SparseMap, CostsMemoryByEntryNotByNumber) {
  SparseMap<std::int32_t, std::int64_t> one;
  one[2'000'000'000] = 1;
  EXPECT_LE(one.memory(), 64u);
  SparseMap<std::int32_t, std::int64_t> many;
  for (std::int32_t i = 0; i < 10'000; ++i) many[i * 100'000] = i;
  EXPECT_LE(many.memory(), 10'000u * 64);
}

}  // namespace
}  // namespace picklock
