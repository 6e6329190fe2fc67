// One run as the script of its page reads it: rows with bars and marks, messages between the machines, the story.
#pragma once

#include <string>
#include <vector>

#include "reports/run/scene.hpp"
#include "reports/run/timeline.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

class RunData {
 public:
  // Needs full_trace, bodies and story of RecordOptions.
  explicit RunData(const RunRecord& record);

  const std::string& title() const { return scene_.title; }  // scenario and seed
  const Scene& scene() const { return scene_; }
  const std::vector<FaultSpan>& faults() const { return faults_; }
  const std::vector<StoryLine>& story() const { return story_; }  // every line
  // {begin, end, rows, messages, texts, story}: see page/run.js.
  std::string json() const { return json(story_); }
  std::string json(const std::vector<StoryLine>& lines) const;

 private:
  std::vector<FaultSpan> faults_;
  Scene scene_;
  std::vector<StoryLine> story_;
  std::string picture_;  // all data but the story
};

}  // namespace picklock
