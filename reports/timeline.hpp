// One run as a picture and a story, for a terminal.
//
// First an overview to scale, one line per client, lock and resource; then what happened, line by
// line, with a column per client that shows its state; then the verdicts in words.
#pragma once

#include <string>

#include "checker/history.hpp"
#include "reports/words.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

struct TimelineOptions {
  int width = 100;          // columns, at least 60
  std::size_t lines = 200;  // most lines of what happened
};

// The picture and the story of a history that a run recorded.
std::string draw_overview(const History& history, const TimelineOptions& options = {});
std::string tell_story(const History& history, const TimelineOptions& options = {}, const Healing& healing = {});

// Everything about one run. `replay` is the command that repeats it; `waiting` who_still_waits; `idle` idle_faults_text.
std::string timeline(const Scenario& scenario, const RunResult& result, bool raw, const std::string& replay,
                     const std::string& waiting, const std::string& idle, const TimelineOptions& options = {});

// Which clients have not come to an end, and what they wait for; empty: none.
std::string who_still_waits(Runner& runner);

}  // namespace picklock
