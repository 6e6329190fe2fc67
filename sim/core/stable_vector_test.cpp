#include "sim/core/stable_vector.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(StableVector, ItsItemsStayWhereTheyAreWhileItGrows) {
  StableVector<int> list;
  EXPECT_EQ(list.size(), 0u);
  int& first = list.emplace_back();
  first = 7;
  for (int i = 1; i < 1000; ++i) list.emplace_back() = i;
  EXPECT_EQ(&list[0], &first);
  EXPECT_EQ(list[0], 7);
  EXPECT_EQ(list[999], 999);
  EXPECT_EQ(list.size(), 1000u);
  EXPECT_GE(list.bytes_reserved(), 1000 * sizeof(int));
}

}  // namespace
}  // namespace picklock
