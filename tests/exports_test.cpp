// A run's history, exported for a checker of locks and judged by the model that fits its lock, gets the verdict that the
// run gave it: every scenario of the library, and every variant.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/lock_operations.hpp"
#include "checker/models/check_file.hpp"
#include "tests/library_runs.hpp"

namespace picklock {
namespace exports_test {

constexpr std::uint64_t kSeeds = 3;

// The model that fits a lock of this kind, with these options.
std::string model_of(const Scenario& scenario) {
  const LockKind& kind = *find_lock_kind(scenario.lock.name);
  const std::int64_t permits = kind.permits == nullptr ? 1 : kind.permits(*scenario.lock.options);
  if (permits > 1) return fmt::format("semaphore:{}", permits);
  if (kind.claims.shared) return "rw-mutex";
  if (kind.claims.reentrant) return "reentrant-mutex:2";
  return "mutex";
}

Verdict judged(const History& history, const std::string& model) {
  HistoryCheckOptions options;
  options.model = model;
  options.ignored.emplace();  // nothing is left out but by the export
  return check_history(history, options).verdict;
}

// As `picklock export --for check` and `picklock check` do.
Verdict judged_as_exported(const History& history, const std::string& model, Format format) {
  ReadOptions options;
  options.format = format;
  return judged(read_history_text(write_history_text(with_beliefs_as_operations(history), {format}), options), model);
}

class Exports : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, Exports, ::testing::ValuesIn(library_names()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST_P(Exports, GetTheVerdictOfTheirRun) {
  const Scenario scenario = library_scenario(GetParam());
  const auto runner = runner_of(scenario);
  ASSERT_NE(runner, nullptr);
  const std::string model = model_of(scenario);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RunResult& run = runner->run(seed);
    const bool violated = of(run.findings, Property::mutual_exclusion).verdict == Verdict::violated;
    const std::string replay = fmt::format("picklock run {} --seed {}, judged by {}", GetParam(), seed, model);
    const Format format = seed % 2 == 1 ? Format::edn : Format::json;
    // Where no acquire succeeded, nothing was observed.
    const History beliefs = with_beliefs_as_operations(*run.history);
    const bool granted = std::any_of(beliefs.operations.begin(), beliefs.operations.end(),
                                     [](const OperationEvent& e) { return e.type == OperationType::ok; });
    const Verdict kept = granted ? Verdict::holds : Verdict::undecided;
    EXPECT_EQ(judged_as_exported(*run.history, model, format), violated ? Verdict::violated : kept) << replay;
    // Lock by lock, as Knossos wants it.
    const History exported = with_beliefs_as_operations(*run.history);
    bool any = false;
    for (const std::string& lock : locks_of(exported)) {
      any |= judged(only_of_lock(exported, lock), model) == Verdict::violated;
    }
    EXPECT_EQ(any, violated) << replay << ", lock by lock";
    // As it is: the work under the lock is left out unasked.
    EXPECT_NO_THROW(judged(*run.history, model)) << replay;
  }
}

}  // namespace exports_test
}  // namespace picklock
