#include "reports/errors.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(Errors, AreToldOnceEach) {
  EXPECT_EQ(errors_told_once({}, "seed"), "");
  EXPECT_EQ(errors_told_once({{3, "a"}}, "seed"), "seed 3: a\n");
  EXPECT_EQ(errors_told_once({{1, "a"}, {2, "b"}, {3, "a"}, {9, "a"}}, "plan"), "plan 1, and others: a\nplan 2: b\n");
}

}  // namespace
}  // namespace picklock
