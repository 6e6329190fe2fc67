// Records and verdicts as sentences.
#pragma once

#include <string>
#include <vector>

#include "checker/history.hpp"
#include "scenarios/campaign/campaign.hpp"

namespace picklock {

struct StoryLine {
  std::int64_t time = 0;
  std::uint32_t index = 0;
  std::string text;
  HoldId renewal_of = kNoHold;  // a renewal of this hold that went well
};

// What there is to heal after the load.
struct Healing {
  bool faults = false;    // some were injected
  bool restarts = false;  // who had died was booted again
};
Healing healing_of(const RunResult& result);

// What happened, in order: operations, grants, effects, stops and phases.
std::vector<StoryLine> story_of(const History& history, const Healing& healing = {});

// "mutual-exclusion: NOT as expected: the scenario expects "violated in every run"; it held in 10 of 10", and a new
// line.
std::string unmet_expectation(const Scenario& scenario, const PropertySummary& property);

// What was violated and how, what held, what could not be decided, and what the lock assumes.
std::string verdicts_in_words(const Scenario& scenario, const RunResult& result, bool raw);

}  // namespace picklock
