#include "base/nearest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace picklock {
namespace {

constexpr std::array<std::string_view, 6> kKinds = {"pause",      "partition",   "power-loss",
                                                    "clock-step", "clock-drift", "kill"};

std::string near(std::string_view text) { return std::string(nearest_name(text, kKinds).value_or("nothing")); }

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(near("pasue"), "pause");
  EXPECT_EQ(near("Pause"), "pause");
  EXPECT_EQ(near("pauze"), "pause");
  EXPECT_EQ(near("power_loss"), "power-loss");
  EXPECT_EQ(near("clock-drfit"), "clock-drift");
  EXPECT_EQ(near("kil"), "kill");
}

TEST(NearestName, ABeginningIsEnough) {
  EXPECT_EQ(near("power"), "power-loss");
  EXPECT_EQ(near("clock"), "clock-step") << "of two equally near the earlier one";
}

TEST(NearestName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(near("earthquake"), "nothing");
  EXPECT_EQ(near(""), "nothing");
  EXPECT_EQ(near(std::string(1'000, 'p')), "nothing");
  EXPECT_EQ(nearest_name("b", std::array<std::string_view, 1>{"a"}), std::nullopt);
  EXPECT_EQ(nearest_name("pause", std::span<const std::string_view>()), std::nullopt);
}

TEST(NearestName, TakesStringsToo) {
  const std::vector<std::string> names = {"alice", "bob"};
  EXPECT_EQ(nearest_name("alcie", names), "alice");
}

RC_GTEST_PROP(EditDistance, IsSymmetricAndZeroOnlyForEquals, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  RC_ASSERT(edit_distance(a, b) <= std::max(a.size(), b.size()));
}

RC_GTEST_PROP(EditDistance, OneMistakeIsOne, ()) {
  const auto word = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'f')));
  const auto at = *rc::gen::inRange<std::size_t>(0, word.size());
  std::string missing = word, wrong = word, swapped = word;
  missing.erase(at, 1);
  wrong[at] = 'z';
  if (at > 0) std::swap(swapped[at - 1], swapped[at]);
  RC_ASSERT(edit_distance(word, missing) == 1U);
  RC_ASSERT(edit_distance(word, wrong) == 1U);
  RC_ASSERT(edit_distance(word, swapped) == (swapped == word ? 0U : 1U));
}

TEST(DidYouMean, EndsAnErrorOrSaysNothing) {
  const std::vector<std::string> names = {"hold", "start"};
  EXPECT_EQ(did_you_mean("hodl", names), "; did you mean 'hold'?");
  EXPECT_EQ(did_you_mean("quorum", names), "");
  EXPECT_EQ(did_you_mean("hold", std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace picklock
