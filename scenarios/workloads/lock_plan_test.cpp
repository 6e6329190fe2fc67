#include "scenarios/workloads/lock_plan.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

std::vector<LockEntry> entries(std::initializer_list<std::string_view> texts) {
  std::vector<LockEntry> all;
  for (const std::string_view text : texts) {
    const auto entry = parse_lock_entry(text);
    EXPECT_TRUE(entry.has_value()) << text;
    if (entry) all.push_back(*entry);
  }
  return all;
}

TEST(LockPlan, AnEntryNamesALockAMultiLockOrAReadersShare) {
  EXPECT_EQ(parse_lock_entry("x"), (LockEntry{{"x"}, Sharing::exclusive}));
  EXPECT_EQ(parse_lock_entry("x:write"), (LockEntry{{"x"}, Sharing::exclusive}));
  EXPECT_EQ(parse_lock_entry("orders:7:read"), (LockEntry{{"orders:7"}, Sharing::shared}));
  EXPECT_EQ(parse_lock_entry("x+y+z"), (LockEntry{{"x", "y", "z"}, Sharing::exclusive}));
  for (const char* bad : {"", "+", "x+", "+x", "x++y", "x+x", ":read"}) {
    EXPECT_FALSE(parse_lock_entry(bad).has_value()) << bad;
  }
  for (const char* text : {"x", "x:read", "x+y"}) EXPECT_EQ(to_text(*parse_lock_entry(text)), text);
}

TEST(LockPlan, TheSameEntryTwiceIsOneObjectAcquiredTwice) {
  const auto all = entries({"x", "y", "x", "x:read", "x+y", "x:write"});
  LockTable table;
  add_locks(all, table);
  EXPECT_EQ(table.names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.multis, (std::vector<std::string>{"x+y"}));
  const LockPlan plan = make_lock_plan(all, table);
  EXPECT_EQ(plan.order, (std::vector<std::uint32_t>{0, 1, 0, 2, 3, 0}));
  ASSERT_EQ(plan.uses.size(), 4u);
  EXPECT_EQ(plan.uses[2].sharing, Sharing::shared);
  EXPECT_EQ(plan.uses[3].number, 2u) << "multi-locks are numbered behind the names";
  EXPECT_EQ(table.name(2), "x+y");
}

TEST(LockPlan, AMultiLocksHoldHasAPartForEachName) {
  const auto all = entries({"y", "x+y"});
  LockTable table;
  add_locks(all, table);
  const LockPlan plan = make_lock_plan(all, table);
  const LockUse &one = plan.uses[0], &both = plan.uses[1];
  EXPECT_EQ(one.ids(), 1u);
  EXPECT_EQ(one.part(7, 0), 7u);
  EXPECT_EQ(both.ids(), 3u);
  EXPECT_EQ(both.locks, (std::vector<std::uint32_t>{1, 0})) << "in the order in which the entry names them";
  EXPECT_EQ(both.part(7, 0), 8u);
  EXPECT_EQ(both.part(7, 1), 9u);
}

}  // namespace
}  // namespace picklock
