#include "checker/properties/workspace.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace picklock {
namespace {

TEST(Workspace, TablesKeepTheirContentsWhileOthersAreMade) {
  Workspace workspace;
  for (int round = 0; round < 4; ++round) {
    const auto first = workspace.table<std::int64_t>(3, 7);
    const auto empty = workspace.table<char>(0);
    for (std::size_t size = 1; size < 200'000; size *= 3) {
      for (const char c : workspace.table<char>(size, 'x')) ASSERT_EQ(c, 'x');
      const auto numbers = workspace.table<std::int64_t>(size, round);
      ASSERT_EQ(numbers.size(), size);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(std::int64_t), 0u);
    }
    EXPECT_TRUE(empty.empty());
    for (const std::int64_t number : first) EXPECT_EQ(number, 7);
    workspace.reset();
  }
}

TEST(Workspace, MemoryIsKept) {
  Workspace workspace;
  workspace.table<char>(1'000'000);
  workspace.reset();
  const char* const place = workspace.table<char>(1'000'000).data();
  workspace.reset();
  EXPECT_EQ(workspace.table<char>(1'000'000).data(), place);
}

}  // namespace
}  // namespace picklock
