// Whole runs: set-up, load, healing, probe, history and all verdicts.

#include <benchmark/benchmark.h>

#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

void run(benchmark::State& state, const char* scenario) {
  const ScenarioFile file = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/" + std::string(scenario) + ".toml");
  auto compiled = Runner::compile(file.scenario);
  auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled);
  if (runner == nullptr) return state.SkipWithError("the scenario does not compile");
  std::uint64_t seed = 0, events = 0;
  for (auto _ : state) events += (*runner)->run(++seed).events;
  state.SetItemsProcessed(state.iterations());
  state.counters["events/run"] = static_cast<double>(events) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(run, paused_holder, "paused_holder");  // goal: 100,000 a second
BENCHMARK_CAPTURE(run, paused_holder_fenced, "paused_holder_fenced");
BENCHMARK_CAPTURE(run, healthy_control, "healthy_control");
BENCHMARK_CAPTURE(run, restart_with_fsync, "restart_with_fsync");
BENCHMARK_CAPTURE(run, failover_after_kill, "failover_after_kill");      // a master, a replica, three sentinels
BENCHMARK_CAPTURE(run, failover_wait_for_all, "failover_wait_for_all");  // a master, two replicas, three sentinels
BENCHMARK_CAPTURE(run, redlock_paused_holder, "redlock_paused_holder");  // five independent servers
BENCHMARK_CAPTURE(run, zookeeper_paused_holder, "zookeeper_paused_holder");
BENCHMARK_CAPTURE(run, zookeeper_healthy_control, "zookeeper_healthy_control");
BENCHMARK_CAPTURE(run, etcd_paused_holder, "etcd_paused_holder");
BENCHMARK_CAPTURE(run, etcd_healthy_control, "etcd_healthy_control");

}  // namespace
}  // namespace picklock
