#include "sim/zookeeper/zab/shared_bytes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace picklock {
namespace {

TEST(SharedBytes, AreWhatTheyAreMadeOf) {
  EXPECT_EQ(SharedBytes("abc").view(), "abc");
  EXPECT_EQ(SharedBytes(std::string("abc")).size(), 3U);
  EXPECT_EQ(SharedBytes("ab", "c").view(), "abc");
  EXPECT_TRUE(SharedBytes("").empty());
  EXPECT_EQ(SharedBytes().view(), "");
}

TEST(SharedBytes, AreSharedByCopies) {
  SharedBytes bytes(std::string(100, 'x'));
  SharedBytes copy = bytes;
  EXPECT_EQ(copy.view().data(), bytes.view().data());
  bytes = SharedBytes("other");
  EXPECT_EQ(copy.view(), std::string(100, 'x'));
  EXPECT_EQ(bytes.view(), "other");
  const SharedBytes moved = std::move(copy);
  EXPECT_EQ(moved.size(), 100U);
}

TEST(SharedBytes, AreEqualByContent) {
  EXPECT_TRUE(SharedBytes("abc") == SharedBytes("abc"));
  EXPECT_FALSE(SharedBytes("abc") == SharedBytes("abd"));
  EXPECT_TRUE(SharedBytes() == SharedBytes(""));
}

}  // namespace
}  // namespace picklock
