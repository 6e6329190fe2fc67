// One run: scenario and seed in, verdicts out.
//
// A Runner is made once per scenario and thread; it compiles names into numbers and keeps its world,
// servers and tables between runs, so that a run itself allocates next to nothing.
//
//   auto runner = Runner::compile(scenario);          // a runner, or a list of problems
//   const RunResult& result = runner->run(seed);
//   if (of(result.findings, Property::mutual_exclusion).verdict == Verdict::violated) …
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "scenarios/run/record.hpp"
#include "scenarios/services/problem.hpp"

namespace picklock {

struct RecordOptions {
  bool full_trace = false;  // keep every record; the digest stays the same
  bool draws = false;       // keep every draw by name
  bool bodies = false;      // keep what each message carries, for words_of_message(); with full_trace
  bool story = false;       // keep what stories and pictures tell beside the history
  const Checkpoints* checkpoints = nullptr;
};

// Changes of the draws of one run, beside those that its scenario says.
struct DrawChanges {
  std::vector<Reseed> reseeds;
  std::vector<DrawOverride> overrides;  // overrides whose names can be read
  // A reseed also draws what is left of lengths that are running.  False: the broken twin of docs/estimate.md, in which
  // they stay as they were drawn.
  bool redraws_lengths = true;
};

class Runner {
 public:
  static std::variant<std::unique_ptr<Runner>, std::vector<ScenarioProblem>> compile(const Scenario& scenario);
  ~Runner();

  // Both are valid until the next run; a copy of the record stays.
  const RunResult& run(std::uint64_t seed, const RecordOptions& options = {}, const DrawChanges& changes = {});
  const RunRecord& record() const;  // record of the last run

  const RunCast& cast() const;
  const Scenario& scenario() const { return cast().scenario; }

 private:
  struct Impl;
  explicit Runner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock
