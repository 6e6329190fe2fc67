#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace picklock {
namespace {

std::string written(std::uint32_t code_point) {
  std::string out;
  append_utf8(out, code_point);
  return out;
}

TEST(Utf8, WritesWhatItAccepts) {
  EXPECT_EQ(written('a'), "a");
  EXPECT_EQ(written(0xe9), "\xc3\xa9");
  EXPECT_EQ(written(0x20ac), "\xe2\x82\xac");
  EXPECT_EQ(written(0x1f512), "\xf0\x9f\x94\x92");
  for (const std::uint32_t c : {0x0u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu, 0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    EXPECT_TRUE(valid_utf8(written(c))) << c;
  }
}

TEST(Utf8, RefusesMalformedBytes) {
  EXPECT_FALSE(valid_utf8("\x80")) << "a continuation alone";
  EXPECT_FALSE(valid_utf8("\xc3")) << "cut off";
  EXPECT_FALSE(valid_utf8("\xc0\xaf")) << "overlong, two bytes";
  EXPECT_FALSE(valid_utf8("\xe0\x80\xaf")) << "overlong, three bytes";
  EXPECT_FALSE(valid_utf8("\xed\xa0\x80")) << "a surrogate";
  EXPECT_FALSE(valid_utf8("\xf4\x90\x80\x80")) << "beyond U+10FFFF";
  EXPECT_TRUE(valid_utf8(""));
}

}  // namespace
}  // namespace picklock
