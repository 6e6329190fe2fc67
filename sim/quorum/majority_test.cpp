#include "sim/quorum/majority.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace picklock {
namespace {

TEST(Majority, IsMoreThanHalf) {
  EXPECT_EQ(majority_of(1), 1u);
  EXPECT_EQ(majority_of(2), 2u);
  EXPECT_EQ(majority_of(3), 2u);
  EXPECT_EQ(majority_of(4), 3u);
  EXPECT_EQ(majority_of(5), 3u);
  EXPECT_EQ(reached_by_majority(std::vector<std::uint64_t>{7}), 7u);
  EXPECT_EQ(reached_by_majority(std::vector<std::uint64_t>{7, 3}), 3u);
  EXPECT_EQ(reached_by_majority(std::vector<std::uint64_t>{9, 0, 4}), 4u);
  EXPECT_EQ(reached_by_majority(std::vector<std::uint64_t>{9, 9, 4, 0}), 4u);
}

std::vector<std::uint64_t> some_positions() {
  auto positions = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 12));
  positions.resize(*rc::gen::inRange<std::size_t>(1, 10));
  return positions;
}

RC_GTEST_PROP(Majority, HasReachedAPositionIffSoManyStandThereOrBeyond, ()) {
  const auto positions = some_positions();
  std::uint64_t best = 0;
  for (std::uint64_t p = 0; p <= 12; ++p) {
    const auto there = std::count_if(positions.begin(), positions.end(), [p](std::uint64_t q) { return q >= p; });
    if (2 * static_cast<std::size_t>(there) > positions.size()) best = p;
  }
  RC_ASSERT(reached_by_majority(positions) == best);
}

RC_GTEST_PROP(Majority, ATallyIsDecidedWhenNoFurtherAnswerCanChangeIt, ()) {
  const auto voters = *rc::gen::inRange<std::size_t>(1, 8);
  VoteTally tally;
  std::vector<int> answers(voters, -1);
  for (const auto& [voter, yes] : *rc::gen::container<std::vector<std::pair<std::size_t, bool>>>(
           rc::gen::pair(rc::gen::inRange<std::size_t>(0, voters), rc::gen::arbitrary<bool>()))) {
    tally.record(voter, yes);
    if (answers[voter] < 0) answers[voter] = yes ? 1 : 0;
  }
  const auto yes = static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 1));
  const auto silent = static_cast<std::size_t>(std::count(answers.begin(), answers.end(), -1));
  const auto expected = 2 * yes > voters              ? VoteTally::Result::won
                        : 2 * (yes + silent) > voters ? VoteTally::Result::pending
                                                      : VoteTally::Result::lost;
  RC_ASSERT(tally.result(voters) == expected);
  RC_ASSERT(tally.yes() == yes);
  for (std::size_t v = 0; v < voters; ++v) RC_ASSERT(tally.has(v) == (answers[v] >= 0));
}

}  // namespace
}  // namespace picklock
