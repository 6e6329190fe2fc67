#include "base/width.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace width_test {

TEST(Width, CountsColumnsOfATerminal) {
  EXPECT_EQ(columns_of(""), 0u);
  EXPECT_EQ(columns_of("worker"), 6u);
  EXPECT_EQ(columns_of("né"), 2u);
  EXPECT_EQ(columns_of("客户端"), 6u) << "neither its 9 bytes nor its 3 characters";
  EXPECT_EQ(columns_of("クライアント"), 12u);
  EXPECT_EQ(columns_of("서버1"), 5u);
  EXPECT_EQ(columns_of("e\u0301"), 1u) << "a combining mark stands over what is before it";
  EXPECT_EQ(columns_of("🔒"), 2u);
  EXPECT_EQ(columns_of("…"), 1u);
  EXPECT_EQ(columns_of("\xff\xe5"), 2u) << "bytes that are no UTF-8 stand alone";
}

TEST(Width, PadsAndCutsByColumns) {
  EXPECT_EQ(padded("客户", 6), "客户  ");
  EXPECT_EQ(padded("客户", 3), "客户");
  EXPECT_EQ(bytes_within("客户a", 3), 3u) << "half of a wide character is not taken";
  EXPECT_EQ(bytes_within("客户a", 4), 6u);
  EXPECT_EQ(bytes_within("a客", 9), 4u);
}

}  // namespace width_test
}  // namespace picklock
