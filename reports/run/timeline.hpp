// One run as a picture and a story, for a terminal.
//
// First an overview to scale, one line per client, lock, resource and fault; then what happened, line by
// line, with a column per client that shows its state; then the verdicts in words.
#pragma once

#include <string>

#include "campaigns/campaign.hpp"
#include "reports/run/scene.hpp"
#include "reports/run/story.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

struct TimelineOptions {
  int width = 100;          // columns, at least 60
  std::size_t lines = 200;  // most lines of the story
  bool brief = false;       // true: only the picture and what is violated
  bool all = false;         // true: every renewal, every step of a round, and all lines
  bool colours = false;     // true: writes colours, for a terminal that shows them
};

// The picture, with a legend of the signs that occur.
std::string draw_scene(const Scene& scene, const TimelineOptions& options = {});
// Tells in order what happened, with the faults.
std::vector<StoryLine> story_lines(const History& history, const std::vector<FaultSpan>& faults,
                                   const TimelineOptions& options = {}, const StoryContext& context = {});
// Tells the story.  Unless all is asked for, it leaves out a hold's renewals but the first and last, and the steps of
// calm rounds in a story that would be too long.
std::string tell_story(const History& history, const std::vector<FaultSpan>& faults,
                       const TimelineOptions& options = {}, const StoryContext& context = {});

// Everything about one run, recorded with RecordOptions::story. `replay` is the command that repeats it; `idle` idle_faults_text.
std::string timeline(const RunRecord& record, bool raw, const std::string& replay, const std::string& idle,
                     const TimelineOptions& options = {});

// Clients that have not come to an end, and what they wait for; empty: none. `all_tasks`: threads of their libraries, too.
std::string who_still_waits(const RunRecord& record, bool all_tasks = false);

}  // namespace picklock
