// One run: scenario and seed in, verdicts out.
//
// A Runner is made once per scenario and thread; it compiles names into numbers and keeps its world,
// servers and tables between runs, so that a run itself allocates next to nothing.
//
//   auto runner = Runner::compile(scenario);          // or a list of problems
//   const RunResult& result = runner->run(seed);
//   if (of(result.findings, Property::mutual_exclusion).verdict == Verdict::violated) …
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/properties.hpp"
#include "recording/server_views.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/checkpoints.hpp"
#include "scenarios/run/faults_played.hpp"
#include "scenarios/run/unseen_owners.hpp"
#include "services/problem.hpp"

namespace picklock {

struct RecordOptions {
  bool full_trace = false;  // keep every record; the digest stays the same
  bool draws = false;       // keep every draw by name
  bool bodies = false;      // keep what each message carries, for words_of_message(); with full_trace
  const Checkpoints* checkpoints = nullptr;
};

// Changes of the draws of one run, beside those that its scenario says.
struct DrawChanges {
  std::vector<Reseed> reseeds;
  std::vector<DrawOverride> overrides;  // whose names can be read
  // A reseed also draws what is left of lengths that are running.  False: the broken twin of docs/estimate.md, in which
  // they stay as they were drawn.
  bool redraws_lengths = true;
};

struct RunResult {
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;
  std::uint64_t events = 0;
  Duration length{};                   // true time
  std::optional<Duration> lateness{};  // of a run in real time, which is not repeatable: the machine's, at worst
  bool cut_off = false;                // the event budget ran out, or time stood still
  std::string error;                   // error of the simulation itself; empty: none
  std::string defect_shown;            // the promise that a wanted defect broke; empty: no defect, or it did not show
  Findings findings{};
  SometimesMask happened = 0;  // conditions that came true
  ExecutedFaults executed;
  FaultsPlayed faults;
  std::vector<Assessment> assumptions;  // the lock's, compared with what really happened
  UnseenOwners unseen;                  // locks whose grants the run has not observed
  JudgeOptions judged_with;
  Checked checked;                   // if checkpoints were asked for
  const History* history = nullptr;  // valid until the next run
};

class World;
struct ServiceKind;

class Runner {
 public:
  static std::variant<std::unique_ptr<Runner>, std::vector<ScenarioProblem>> compile(const Scenario& scenario);
  ~Runner();

  const RunResult& run(std::uint64_t seed, const RecordOptions& record = {}, const DrawChanges& changes = {});

  const Scenario& scenario() const;
  const ServiceKind& service() const;  // asked by the lock
  World& world();                      // left by the last run: its trace and its draws
  // How many of the machines are the service's: the first ones, from NodeId 1.
  std::size_t service_machines() const;
  // What the service's servers saw in the last run; for pictures, as it reads the journal once more.
  ServersSeen servers_seen();
  // By NodeId, as the last run began with them; empty before the first.
  const std::vector<Clock>& initial_clocks() const;
  // Names of the machines by NodeId; 0 is the world itself.
  const std::vector<std::string>& node_names() const;
  // What a message between these machines carries, in words; empty: nothing that is worth telling.
  std::string words_of_message(NodeId from, NodeId to, std::string_view body, bool answers) const;
  // Places in the trace's journal from which the last run's history was made, by index in that history.
  const std::vector<std::uint32_t>& sources_of_history() const;

 private:
  struct Impl;
  explicit Runner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock
