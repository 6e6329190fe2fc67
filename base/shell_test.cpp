#include "base/shell.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(ShellWord, IsQuotedOnlyWhereAShellWouldChangeIt) {
  EXPECT_EQ(shell_word("lock.ttl=200ms"), "lock.ttl=200ms");
  EXPECT_EQ(shell_word("fault[0].lasts=1ms"), "'fault[0].lasts=1ms'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace picklock
