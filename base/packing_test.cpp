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
  to.finish();
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
  PackedHead<7> head;
  fields.byte(200), head.byte(200);
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, UINT64_MAX}) {
    fields.number(n), head.number(n);
  }
  fields.integer(INT64_MIN), head.integer(INT64_MIN);
  fields.word(0x0807060504030201), head.word(0x0807060504030201);
  message.head(head);
  fields.finish(), message.finish();
  EXPECT_EQ(by_field, as_head);
  EXPECT_TRUE(by_field.ends_with("\x01\x02\x03\x04\x05\x06\x07\x08"));
}

TEST(Packing, AWordThatIsCutShortIsNone) {
  Unpacker from(std::string_view("\x01\x02\x03\x04\x05\x06\x07"));
  EXPECT_EQ(from.word(), 0U);
  EXPECT_FALSE(from.good());
}

TEST(Packing, AllOfItMayBeTakenAtOnce) {
  for (const std::size_t size : {0U, 1U, 96U, 97U, 150U, 500U}) {
    std::string scratch, expected;
    Packer alone(scratch), appended(expected);
    for (Packer* const to : {&alone, &appended}) {
      to->text(std::string(size, 'a'));
      to->text(std::string(size, 'b'));
    }
    appended.finish();
    EXPECT_EQ(alone.all(), expected) << size;
  }
}

// Behind the last byte of a number stands whatever follows it, or nothing.
TEST(Packing, NumbersOfEveryLength) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t n : {UINT64_C(1) << bit, (UINT64_C(1) << bit) - 1, ~UINT64_C(0) << bit}) {
      for (const char after : {'\0', '\x7f', '\xff'}) {
        std::string bytes;
        Packer to(bytes);
        to.number(n);
        to.finish();
        const std::size_t size = bytes.size();
        EXPECT_EQ(size, varint_size(n));
        for (std::size_t more : {0U, 1U, 7U, 8U, 20U}) {
          bytes.resize(size), bytes.resize(size + more, after);
          Unpacker from(bytes);
          EXPECT_EQ(from.number(), n) << bit << " and " << more << " bytes";
          EXPECT_TRUE(from.good());
          EXPECT_EQ(from.rest().size(), more);
        }
      }
    }
  }
  EXPECT_FALSE(Unpacker(std::string(20, '\xff')).finished());
  Unpacker too_large(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
  (void)too_large.number();
  EXPECT_FALSE(too_large.good());
  Unpacker cut_short(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8));
  (void)cut_short.number();
  EXPECT_FALSE(cut_short.good());
}

TEST(Packing, GathersShortFieldsAndPassesLongOnesOn) {
  std::string expected, packed;
  Packer to(packed);
  for (std::size_t size : {0U, 1U, 90U, 96U, 97U, 100U, 300U, 5U, 191U, 192U, 193U, 7U}) {
    const std::string text(size, static_cast<char>('a' + size % 26));
    to.text(text);
    expected += size < 128 ? std::string(1, static_cast<char>(size))
                           : std::string({static_cast<char>(size % 128 + 128), static_cast<char>(size / 128)});
    expected += text;
    for (int i = 0; i < 7; ++i) to.byte('.');
    expected += std::string(7, '.');
  }
  to.finish();
  EXPECT_EQ(packed, expected);
}

}  // namespace
}  // namespace picklock
