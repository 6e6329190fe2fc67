// Two runs side by side: the steps of their stories aligned, and the first one in which they differ.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/run/timeline.hpp"

namespace picklock {

// One of the two runs, told.
struct RunTold {
  std::string name;    // "paused_holder, seed 1"
  std::string replay;  // the command that repeats it
  Scene scene;
  std::vector<StoryLine> story;
  std::vector<std::string> verdicts;  // "mutual-exclusion: violated"
};
RunTold told(const RunRecord& record, std::string name, std::string replay, const TimelineOptions& options);

// Positions in the two stories; at least one of them.
struct AlignedStep {
  std::optional<std::size_t> left{}, right{};
  bool tokens = false;  // true: both have it, with another token or none
  bool same() const { return left && right; }
};

// The longest common subsequence of what happened, instants and tokens aside.
std::vector<AlignedStep> align(const std::vector<StoryLine>& left, const std::vector<StoryLine>& right);
// The place of the first step that only one of them has; none: they tell the same.
std::optional<std::size_t> first_difference(const std::vector<AlignedStep>& steps);

// Writes both pictures on one scale, the stories in two columns, and verdicts that differ.
std::string against_text(RunTold left, RunTold right, const TimelineOptions& options);
std::string against_json(const RunTold& left, const RunTold& right);

}  // namespace picklock
