#include "base/packing.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace picklock {
namespace {

TEST(Packing, NumbersAtTheirEnds) {
  std::string bytes;
  Packer to(bytes);
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) to.integer(i);
  to.word(UINT64_MAX);
  to.integer(INT64_C(1) << 31);
  Unpacker from(bytes);
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) EXPECT_EQ(from.integer(), i);
  EXPECT_EQ(from.word(), UINT64_MAX);
  EXPECT_TRUE(from.good());
  EXPECT_EQ(from.small(), 0) << "does not fit";
  EXPECT_FALSE(from.good());
  EXPECT_FALSE(Unpacker(std::string(11, '\xff')).finished());
}

}  // namespace
}  // namespace picklock
