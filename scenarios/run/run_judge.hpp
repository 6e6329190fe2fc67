// Makes the record of a run that has been played: the history, what struck, what was assumed, and the verdicts.
#pragma once

#include "checker/properties/scratch.hpp"
#include "scenarios/recording/history_builder.hpp"
#include "scenarios/run/compiled_scenario.hpp"
#include "scenarios/run/measure.hpp"
#include "scenarios/run/record.hpp"
#include "scenarios/run/stage.hpp"

namespace picklock {

class RunJudge {
 public:
  explicit RunJudge(CompiledScenario& compiled);

  // Writes the whole record of the run that the stage has just played, once.
  void judge(Stage& stage, const Played& played, const RecordOptions& options, RunRecord& record);

 private:
  void build_history(Stage& stage, const RecordOptions& options, RunRecord& record);
  void note_end(Stage& stage, const Played& played, RunResult& result) const;
  std::int64_t first_election(const World& world) const;
  void judge_history(Stage& stage, const History& history, RunResult& result);
  void keep_surroundings(const World& world, RunRecord& record) const;

  CompiledScenario& compiled_;
  HistoryBuilder builder_;
  Executed executed_;
  Scratch scratch_;
};

}  // namespace picklock
