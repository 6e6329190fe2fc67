#include "checker/search/search.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/search/call.hpp"

namespace picklock {
namespace {

TEST(EdnElements, CutsSequences) {
  std::vector<std::string> all;
  EdnElements elements("[1 [2 #{3}] \"a ] \\\" b\" \\] {:k (4)}]");
  for (std::string_view e; elements.next(e);) all.emplace_back(e);
  EXPECT_EQ(all, (std::vector<std::string>{"1", "[2 #{3}]", "\"a ] \\\" b\"", "\\]", "{:k (4)}"}));
}

}  // namespace
}  // namespace picklock
