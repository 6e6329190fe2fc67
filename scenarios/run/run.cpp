#include "scenarios/run/run.hpp"

#include <utility>

#include "scenarios/run/compiled_scenario.hpp"
#include "scenarios/run/run_judge.hpp"
#include "scenarios/run/stage.hpp"

namespace picklock {

struct Runner::Impl {
  explicit Impl(std::unique_ptr<CompiledScenario> c) : compiled(std::move(c)), stage(*compiled), judge(*compiled) {}

  std::unique_ptr<CompiledScenario> compiled;  // stage and judge refer to it
  Stage stage;
  RunJudge judge;
  RunRecord record;

  // Plays the run again, to learn the names of the keys that clients write; all else is left as it was.
  void find_written_keys(std::uint64_t seed, const RecordOptions& options, const DrawChanges& changes) {
    Trace& trace = stage.world().trace;
    trace.keep_keys(true);
    stage.play(seed, options, changes);
    record.result.unseen.keys = trace.keys_written();
    trace.keep_keys(false);
  }
};

const RunResult& Runner::run(std::uint64_t seed, const RecordOptions& options, const DrawChanges& changes) {
  RunRecord& record = impl_->record;
  record.result.seed = seed;
  const Played& played = impl_->stage.play(seed, options, changes);
  impl_->judge.judge(impl_->stage, played, options, record);
  if (record.result.unseen.runs == 0) return record.result;
  if (!record.result.lateness) {
    impl_->find_written_keys(seed, options, changes);
  } else {
    record.result.unseen.keys = record.trace.keys_written();
  }
  return record.result;
}

const RunRecord& Runner::record() const { return impl_->record; }

const RunCast& Runner::cast() const { return *impl_->compiled->cast; }

std::variant<std::unique_ptr<Runner>, std::vector<ScenarioProblem>> Runner::compile(const Scenario& scenario) {
  auto compiled = std::make_unique<CompiledScenario>(scenario);
  std::vector<ScenarioProblem> problems;
  compiled->compile(problems);
  if (!problems.empty()) return problems;
  return std::unique_ptr<Runner>(new Runner(std::make_unique<Impl>(std::move(compiled))));
}

Runner::Runner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Runner::~Runner() = default;

}  // namespace picklock
