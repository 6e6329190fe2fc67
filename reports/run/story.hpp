// The story of a run: a line for each event that is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"
#include "checker/history.hpp"
#include "scenarios/recording/server_views.hpp"
#include "scenarios/run/record.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// Steps of a hold's round, if nothing is unusual.
enum class RoundStep : std::uint8_t {
  unusual,  // no step of a calm round
  before,   // the client asks, the service grants or prolongs
  begins,   // the client is told that it holds the lock
  works,    // the client reads or writes
  ends      // the client releases, the service takes the lock back, the client is told so
};

struct StoryLine {
  std::int64_t time = 0;
  std::uint32_t index = 0;
  std::string text{};
  HoldId renewal_of = kNoHold;  // hold that this line renews, …
  HoldId renewed_by = kNoHold;  // … and the hold that renews it
  bool small = false;           // true: it changes the lease by less than a hundredth, as another server's answer does
  HoldId hold = kNoHold;        // the hold that it is about
  RoundStep step = RoundStep::unusual;
};

// Facts that a story tells beside the history.
struct StoryContext {
  bool faults_healed = false;  // true: some were injected, and are lifted after the load
  bool restarts = false;       // true: clients and servers that had died were booted again
  ServersSeen servers{};
  std::vector<std::string> machines{};  // index: NodeId
  std::vector<Unanswered> unanswered{};
};
// Needs RecordOptions::story.
StoryContext context_of(const RunRecord& record);

// Tells in order: operations, grants, effects, stops, new leaders and phases.
std::vector<StoryLine> story_of(const History& history, const StoryContext& context = {});

}  // namespace picklock
