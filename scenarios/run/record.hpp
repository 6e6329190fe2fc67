// One run as a value: what happened, what it was played with, and its verdicts.
//
// A run leaves one record when it ends, and every story, picture, page, slice, cost and file starts from it.  A record owns
// what it holds: a copy can be read when its runner has gone on, or is gone.  A run outside of the simulator makes a
// record of what was observed of it; what it leaves empty, reports leave out.
//
//   runner->run(seed, {.full_trace = true, .story = true});
//   const RunRecord kept = runner->record();
//   write_file("run.html", run_page(kept, …));
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/file/scenario.hpp"
#include "scenarios/recording/recording.hpp"
#include "scenarios/recording/server_views.hpp"
#include "scenarios/run/checkpoints.hpp"
#include "scenarios/run/result.hpp"
#include "sim/core/world.hpp"

namespace picklock {

struct ServiceKind;

// Facts that all runs of a scenario have in common.
struct RunCast {
  Scenario scenario;
  std::vector<std::string> machines;     // names by NodeId; 0 is the world itself
  std::size_t servers = 0;               // number of the service's machines: the first ones, from NodeId 1
  const ServiceKind* service = nullptr;  // service that the lock asks; null: none that is known
  std::vector<std::int64_t> patience{};  // index: client; patience for JudgeOptions
};

// A draw of the run, by its printed name.
struct RecordedDraw {
  TrueTime time{};
  std::string name;
  std::int64_t value = 0;
  Purpose purpose{};
  Law law{};           // law of the draw; constant 0: bits without a law
  bool again = false;  // true: a running length was drawn again
};

// Facts that stories and pictures tell beside the history.
struct Surroundings {
  ServersSeen servers{};
  std::vector<Unanswered> unanswered{};
  std::vector<Waiting> waiting{};  // tasks that had not come to an end
};

struct RunRecord {
  RunResult result;
  std::shared_ptr<const RunCast> cast;
  std::shared_ptr<const Recording> recording;  // the history, and with full_trace where its records come from
  Trace trace;                                 // journal of the run; with RecordOptions::full_trace every record
  std::vector<Clock> clocks;                   // index: NodeId; clocks as the run begins
  std::vector<std::string> bodies{};           // bodies of messages, in the order of segment-sent records; if asked for
  std::vector<RecordedDraw> draws{};           // recorded if asked for
  std::vector<std::string> tasks{};            // names of tasks that have drawn something; recorded with the draws
  std::map<std::uint64_t, std::string> last_words{};  // last words of panicked processes; key: their hash
  std::optional<Surroundings> surroundings{};         // recorded with RecordOptions::story
  Checked checked{};                                  // recorded with RecordOptions::checkpoints
  bool out_of_room = false;                           // the world had no room for all that happened at once

  // The result has the same history, for readers of the verdicts alone.
  void keep(std::shared_ptr<const Recording> made) {
    result.history = {made, &made->history};
    recording = std::move(made);
  }
  const Scenario& scenario() const { return cast->scenario; }
  const std::vector<std::string>& machines() const { return cast->machines; }
  const History& history() const { return recording->history; }
  std::span<const TraceRecord> journal() const { return trace.journal(); }
  // Both check that the run was recorded so: an unrecorded run would look like one in which nothing happened.
  const std::vector<TraceRecord>& full_trace() const;
  const Surroundings& around() const;
};

// Words for a message between these machines; empty: nothing that is worth telling.
std::string words_of_message(const RunCast& cast, NodeId from, NodeId to, std::string_view body, bool answers);

}  // namespace picklock
