// Two runs side by side: `run --against`.

#include "reports/run/against.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/command_runs.hpp"

namespace picklock {
namespace against_test {

using namespace picklock::testing;

std::vector<StoryLine> story(const std::vector<std::string>& texts) {
  std::vector<StoryLine> lines;
  for (const std::string& text : texts) lines.push_back({static_cast<std::int64_t>(lines.size()), 0, text});
  return lines;
}

// "==<>": steps of both, of the left alone, of the right alone.
std::string shape(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  std::string signs;
  for (const AlignedStep& s : align(story(left), story(right))) signs += s.same() ? '=' : s.left ? '<' : '>';
  return signs;
}

TEST(Against, StepsAreAlignedByWhatHappens) {
  EXPECT_EQ(shape({"a", "b", "c"}, {"a", "b", "c"}), "===");
  EXPECT_EQ(shape({"a", "b", "c"}, {"a", "x", "c"}), "=<>=");
  EXPECT_EQ(shape({"a", "c"}, {"a", "b", "c"}), "=>=");
  EXPECT_EQ(shape({}, {"a"}), ">");
  EXPECT_EQ(shape({"until 100.1 ms"}, {"until 97.25 ms"}), "=") << "instants differ from seed to seed";
  EXPECT_EQ(shape({"a holds lock (token 12)", "a writes, token 1"}, {"a holds lock", "a writes, token 2"}), "==");
  EXPECT_EQ(shape({"a is refused its write (token 1)"}, {"a is refused its write"}), "=");
  EXPECT_TRUE(align(story({"a writes, token 1"}), story({"a writes"})).front().tokens);
  EXPECT_FALSE(align(story({"a writes at 1.5 ms"}), story({"a writes at 2.5 ms"})).front().tokens);
  EXPECT_EQ(shape({"redis1 dies"}, {"redis2 dies"}), "<>");
  EXPECT_EQ(shape({"version 1"}, {"version 2"}), "<>");
  EXPECT_EQ(first_difference(align(story({"a", "b"}), story({"a", "c"}))), 1u);
  EXPECT_EQ(first_difference(align(story({"a"}), story({"a"}))), std::nullopt);
}

TEST(Against, AVariantASeedALockOrAnotherScenario) {
  const Ran variant = run_picklock("run paused_holder --against fenced");
  EXPECT_EQ(variant.status, 0) << variant.out;
  EXPECT_TRUE(has(variant, "paused_holder/fenced, seed 1")) << variant.out;
  EXPECT_TRUE(has(variant, "lost-update: violated, on the right held")) << variant.out;
  EXPECT_TRUE(has(variant, "-- first difference") || has(variant, "- first difference")) << variant.out;
  EXPECT_TRUE(has(variant, "again:  picklock run paused_holder/fenced --seed 1")) << variant.out;
  EXPECT_TRUE(has(variant, "first difference: only the left run tells, at 250.465 ms: counter: a writes version 2"))
      << variant.out;
  const Ran seed = run_picklock("run paused_holder --against 2");
  EXPECT_TRUE(has(seed, "right: paused_holder, seed 2")) << seed.out;
  const Ran itself = run_picklock("run paused_holder --against 1");
  EXPECT_TRUE(has(itself, "no difference: both runs tell the same steps")) << itself.out;
  EXPECT_TRUE(has(itself, "the verdicts are the same")) << itself.out;
  const Ran lock = run_picklock("run paused_holder --against setnx-expire");
  EXPECT_TRUE(has(lock, "--lock setnx-expire")) << lock.out;
  EXPECT_TRUE(has(run_picklock("run paused_holder/fenced --against paused_holder"), "right: paused_holder, seed 1"));
  EXPECT_TRUE(has(run_picklock("run redlock_clock_jump/slewed --against redlock_clock_jump --brief"),
                  "first difference: only"));
}

TEST(Against, WhatItIsNotIsSaid) {
  const Ran unknown = run_picklock("run paused_holder --against fencde");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(has(unknown, "did you mean 'fenced'?")) << unknown.out;
  EXPECT_EQ(run_picklock("run paused_holder --against ''").status, 2);
  EXPECT_EQ(run_picklock("run paused_holder --against 2 --slice").status, 2);
  EXPECT_EQ(run_picklock("run paused_holder --against 2 --seeds 1..3").status, 2);
  EXPECT_EQ(run_picklock("run paused_holder --against 2 --out folder").status, 2);
}

TEST(Against, IsJsonAndAPageAsWell) {
  const auto json = nlohmann::json::parse(run_picklock("run paused_holder --against fenced --format json").out);
  const auto& first = json["aligned"][json["first_difference"].get<std::size_t>()];
  EXPECT_TRUE(first[0].is_null() || first[1].is_null());
  EXPECT_EQ(json["left"]["replay"], "picklock run paused_holder --seed 1");
  const std::string file = scratch("against") + ".html";
  EXPECT_EQ(run_picklock("run paused_holder --against fenced --html " + file).status, 0);
  const std::string page = content(file);
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_NE(page.find("\"aligned\":[[0,0,0]"), std::string::npos);
  for (const char* const other : {"http://", "https://", "src=", "@import", "url("}) {
    EXPECT_EQ(page.find(other), std::string::npos) << "the page needs " << other;
  }
  std::filesystem::remove(file);
}

}  // namespace against_test
}  // namespace picklock
