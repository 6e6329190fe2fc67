#include "checker/properties/statistics.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(Tally, LeavesUndecidedRunsOutOfTheShareAndKeepsTheLowestSeed) {
  Tally a, b;
  a.add(Verdict::violated, 9);
  a.add(Verdict::holds, 1);
  b.add(Verdict::violated, 4);
  b.add(Verdict::undecided, 2);
  b.add(Verdict::not_applicable, 3);
  Tally both = a, reversed = b;
  both.add(b);
  reversed.add(a);
  EXPECT_EQ(both, reversed);
  EXPECT_EQ(both.runs(), 5u);
  EXPECT_EQ(both.decided(), 3u);
  EXPECT_DOUBLE_EQ(both.share_violated(), 2.0 / 3);
  EXPECT_EQ(both.seed_of(Verdict::violated), 4u);
  EXPECT_EQ(a.seed_of(Verdict::undecided), std::nullopt);
}

TEST(Tally, IsPrintedWithTheRuleThatWasUsed) {
  Tally tally;
  tally.counts = {1'000, 0, 0, 0};
  EXPECT_EQ(print_share(tally), "0 of 1,000 (95 %: below 0.30 %, 1 - 0.05^(1/N); Wilson 0.38 %)");
  tally.counts = {628, 372, 12, 0};
  EXPECT_EQ(print_share(tally), "37.20 % (372 of 1,000; 95 %: 34.26 to 40.24 %, Wilson); 12 undecided, left out");
  tally.counts = {0, 0, 5, 1'234'567};
  EXPECT_EQ(print_share(tally), "no run was decided; 5 undecided, left out; 1,234,567 not applicable, left out");
}

}  // namespace
}  // namespace picklock
