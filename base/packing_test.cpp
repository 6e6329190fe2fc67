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

TEST(Packing, AHeadIsPackedAsItsFieldsAre) {
  std::string by_field, as_head;
  Packer fields(by_field), message(as_head);
  PackedHead<6> head;
  fields.byte(200), head.byte(200);
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, UINT64_MAX}) {
    fields.number(n), head.number(n);
  }
  fields.integer(INT64_MIN), head.integer(INT64_MIN);
  message.head(head);
  EXPECT_EQ(by_field, as_head);
}

}  // namespace
}  // namespace picklock
