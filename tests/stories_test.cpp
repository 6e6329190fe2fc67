// The stories of scenarios about servers, looked up in the traces of their runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/world.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

struct Story {
  std::unique_ptr<Runner> runner;

  explicit Story(const std::string& name) {
    const ScenarioFile file = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/" + name);
    auto compiled = Runner::compile(file.scenario);
    if (auto* const made = std::get_if<std::unique_ptr<Runner>>(&compiled)) runner = std::move(*made);
  }
  // How often it is recorded in the run of this seed.
  std::size_t count(std::uint64_t seed, TraceKind kind) {
    runner->run(seed, {.full_trace = true});
    const auto& all = runner->record().full_trace();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [kind](const TraceRecord& r) { return r.kind == kind; }));
  }
};

TEST(Stories, AServerCutsOffWhatItsLeaderNeverSaw) {
  Story truncated("zookeeper_create_truncated"), recognised("zookeeper_create_recognised");
  ASSERT_TRUE(truncated.runner && recognised.runner);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    EXPECT_EQ(truncated.count(seed, trace::zoo_truncated), 1u) << seed;
    EXPECT_EQ(recognised.count(seed, trace::zoo_truncated), 0u) << seed;
  }
}

// How the first release of a run ended.
OperationType first_release(const std::string& scenario) {
  Story story(scenario);
  if (!story.runner) return OperationType::invoke;
  const RunResult& r = story.runner->run(1);
  for (const OperationEvent& e : r.history->operations) {
    if (static_cast<Function>(e.f) == Function::release && e.type != OperationType::invoke) return e.type;
  }
  return OperationType::invoke;
}

TEST(Stories, AnUnlockAfterTheLeaseIsAnsweredByTheRelease) {
  EXPECT_EQ(first_release("redisson_unlock_of_an_expired_write"), OperationType::fail);
  EXPECT_EQ(first_release("redisson_unlock_of_an_expired_write/told_yes"), OperationType::ok);
}

}  // namespace
}  // namespace picklock
