#include "checker/value.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace picklock {
namespace {

TEST(Value, HoldsSmallIntegersItself) {
  ValueTable table;
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'000'000'007}, Value::kSmallest, Value::kLargest}) {
    EXPECT_TRUE(table.integer(n).is_integer());
    EXPECT_EQ(table.integer(n).number(), n);
    EXPECT_EQ(table.edn(table.integer(n)), std::to_string(n));
  }
  EXPECT_EQ(table.size(), 0u);
}

TEST(Value, InternsLargeIntegersAsText) {
  ValueTable table;
  for (const std::int64_t n : {std::numeric_limits<std::int64_t>::min(), Value::kSmallest - 1, Value::kLargest + 1,
                               std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_TRUE(table.integer(n).is_text());
    EXPECT_EQ(table.edn(table.integer(n)), std::to_string(n));
    EXPECT_EQ(table.integer(n), table.canonical(std::to_string(n)));
  }
}

TEST(Value, TellsKindsApart) {
  ValueTable table;
  EXPECT_TRUE(Value{}.is_nil());
  EXPECT_EQ(table.canonical("nil"), Value{});
  EXPECT_EQ(table.canonical("7"), Value::integer(7));
  EXPECT_EQ(table.canonical(":a"), table.keyword("a"));
  EXPECT_EQ(table.canonical("\"a\""), table.string("a"));
  EXPECT_NE(table.keyword("a"), table.string("a"));
  EXPECT_NE(table.string("7"), Value::integer(7));
  EXPECT_NE(table.boolean(true), table.boolean(false));
  EXPECT_NE(Value::integer(0), Value{});
  EXPECT_NE(Value::text(0), Value{});
}

TEST(Value, EscapesStrings) {
  ValueTable table;
  EXPECT_EQ(table.edn(table.string("a\"b\\c\n\x01")), "\"a\\\"b\\\\c\\n\\u0001\"");
}

}  // namespace
}  // namespace picklock
