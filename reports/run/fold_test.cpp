#include "reports/run/fold.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "checker/properties/history_lab.hpp"
#include "reports/run/timeline.hpp"

namespace picklock {
namespace fold_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A round of eight lines, from `at` on.
void round(ScriptedHistory& h, HoldId hold, std::int64_t at) {
  h.acquires(hold, at, at + 2 * kMs);
  h.granted(hold, at + kMs, at + 100 * kMs);
  h.believes(hold, at + 2 * kMs, at + 6 * kMs);
  h.reads(hold, at + 3 * kMs, "counter", 0);
  h.updates(hold, at + 4 * kMs, "counter", 1, 0);
  h.releases(hold, at + 6 * kMs, at + 8 * kMs);
  h.grant(hold, at + 7 * kMs, GrantChange::released);
}

// The story, folded, of a round of a with what disturbs it.
std::vector<std::string> folded(const std::function<void(ScriptedHistory&, HoldId)>& disturb) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  round(h, a, 10 * kMs);
  disturb(h, a);
  const History history = h.build();
  std::vector<StoryLine> story = story_of(history);
  const std::size_t before = story.size();
  const bool any = fold_rounds(history, lanes_of(history), story);
  EXPECT_EQ(any, story.size() < before);
  std::vector<std::string> all;
  for (const StoryLine& line : story) all.push_back(line.text);
  return all;
}

TEST(Fold, ACalmRoundIsALine) {
  const std::vector<std::string> lines = folded([](ScriptedHistory&, HoldId) {});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("a asks for"));
  EXPECT_EQ(lines[1], "L: granted to a, until 110.0 ms");
  EXPECT_TRUE(lines[2].starts_with("a is told that it holds")) << lines[2];
  EXPECT_TRUE(lines[2].ends_with(", and gives it back by 18.0 ms")) << lines[2];
}

TEST(Fold, ARenewalDisturbsNoRound) {
  EXPECT_EQ(folded([](ScriptedHistory& h, HoldId a) { h.grant(a, 15 * kMs, GrantChange::extend, 300 * kMs); }).size(),
            4u);
}

TEST(Fold, WhatIsUnusualIsToldInFull) {
  const std::vector<std::pair<std::string, std::function<void(ScriptedHistory&, HoldId)>>> kCases = {
      {"the service ends the hold", [](ScriptedHistory& h, HoldId a) { h.grant(a, 15 * kMs, GrantChange::end); }},
      {"a write is refused", [](ScriptedHistory& h, HoldId a) { h.refused_write(a, 15 * kMs, "counter"); }},
      {"a write arrives afterwards", [](ScriptedHistory& h, HoldId a) { h.writes(a, 40 * kMs, "counter", 2); }},
      {"it is prolonged afterwards",
       [](ScriptedHistory& h, HoldId a) { h.grant(a, 40 * kMs, GrantChange::extend, 300 * kMs); }},
      {"the client learns of a loss", [](ScriptedHistory& h, HoldId a) { h.belief(a, 15 * kMs, BeliefEnd::lost); }},
      {"the client is stopped",
       [](ScriptedHistory& h, HoldId) {
         h.process("a", 14 * kMs, ProcessChange::stopped);
         h.process("a", 15 * kMs, ProcessChange::continued);
       }},
      {"another believes at the same time",
       [](ScriptedHistory& h, HoldId) { h.believes(h.hold("b"), 13 * kMs, 14 * kMs); }},
  };
  for (const auto& [words, disturb] : kCases) EXPECT_GE(folded(disturb).size(), 8u) << words;
}

TEST(Fold, OnlyALongStoryIsFolded) {
  ScriptedHistory h;
  for (int i = 0; i < 5; ++i) round(h, h.hold("a"), (10 + 20 * i) * kMs);
  const History history = h.build();
  const auto told = [&](std::size_t lines, bool all) {
    TimelineOptions options;
    options.lines = lines;
    options.all = all;
    return tell_story(history, {}, options);
  };
  const std::string whole = told(40, false);
  EXPECT_EQ(whole.find("gives it back by"), whole.npos);
  const std::string folded = told(39, false);
  EXPECT_NE(folded.find(", and gives it back by 18.0 ms\n"), folded.npos) << folded;
  EXPECT_NE(folded.find("--all tells each step"), folded.npos) << folded;
  EXPECT_EQ(told(39, true), whole);
  EXPECT_NE(told(14, false).find("and 1 lines more"), folded.npos) << "it may still be too long";
}

}  // namespace
}  // namespace fold_test
}  // namespace picklock
