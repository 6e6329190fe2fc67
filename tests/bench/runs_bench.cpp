// Whole runs: set-up, load, healing, probe, history and all verdicts.

#include <benchmark/benchmark.h>

#include <chrono>

#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "tests/bench/hand_loop.hpp"

namespace picklock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kHandEvents = 200'000;

Clock::duration hand_loop_took() {
  const auto began = Clock::now();
  bench::turn_hand_loop(1000, kHandEvents);
  return Clock::now() - began;
}

// of_hand_loop: events a second of whole runs, set-up and verdicts included, as a share of those of hand_loop/1000.
void run(benchmark::State& state, const char* scenario) {
  const ScenarioFile file = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/" + std::string(scenario));
  auto compiled = Runner::compile(file.scenario);
  auto* const runner = std::get_if<std::unique_ptr<Runner>>(&compiled);
  if (runner == nullptr) return state.SkipWithError("the scenario does not compile");
  // The hand-written loop turns before and after the runs, so that a change of the machine's speed shows in both.
  std::uint64_t seed = 0, events = 0;
  const Clock::duration before = hand_loop_took();
  const auto began = Clock::now();
  for (auto _ : state) events += (*runner)->run(++seed).events;
  const Clock::duration took = Clock::now() - began, hand_loop = (before + hand_loop_took()) / 2;
  state.SetItemsProcessed(state.iterations());
  state.counters["events/run"] = static_cast<double>(events) / static_cast<double>(state.iterations());
  state.counters["of_hand_loop"] = static_cast<double>(events) / static_cast<double>(took.count()) *
                                   static_cast<double>(hand_loop.count()) / static_cast<double>(kHandEvents);
}

// What heartbeats and other duties of idle servers and sessions take of a run: each run is played as it is, and with
// clients that come ten seconds later; what a second more costs, times the length of a run, by its cost.
void idle_share(benchmark::State& state, const char* scenario) {
  constexpr Duration kLater = seconds(10);
  Scenario at_once = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/" + std::string(scenario)).scenario;
  Scenario later = at_once;
  later.phases.load = later.phases.least_load() + kLater;
  for (ClientSpec& client : later.clients) {
    client.start = Law::uniform(client.start.low() + kLater.ns, client.start.high() + kLater.ns);
  }
  auto one = Runner::compile(at_once), other = Runner::compile(later);
  auto& plain = *std::get<std::unique_ptr<Runner>>(one);
  auto& idle = *std::get<std::unique_ptr<Runner>>(other);
  std::uint64_t seed = 0;
  double simulated_s = 0;
  Clock::duration plain_took{}, idle_took{};
  for (auto _ : state) {
    const auto a = Clock::now();
    const auto& seen = plain.run(++seed);
    const auto b = Clock::now();
    simulated_s += static_cast<double>(seen.length.ns) / 1e9;
    benchmark::DoNotOptimize(idle.run(seed).events);
    plain_took += b - a, idle_took += Clock::now() - b;
  }
  const double a_second =
      static_cast<double>((idle_took - plain_took).count()) / (static_cast<double>(kLater.ns) / 1e9);
  state.counters["share"] =
      a_second * simulated_s / static_cast<double>(state.iterations()) / static_cast<double>(plain_took.count());
}

BENCHMARK_CAPTURE(run, paused_holder, "paused_holder");  // goal: 100,000 a second
BENCHMARK_CAPTURE(run, paused_holder_fenced, "paused_holder/fenced");
BENCHMARK_CAPTURE(run, healthy_control, "healthy_control");
BENCHMARK_CAPTURE(run, restart_without_fsync_with_fsync, "restart_without_fsync/with_fsync");
BENCHMARK_CAPTURE(run, failover_loses_the_lock_after_kill,
                  "failover_loses_the_lock/after_kill");  // a master, a replica, three sentinels
BENCHMARK_CAPTURE(run, failover_wait_for_one_all,
                  "failover_wait_for_one/all");                          // a master, two replicas, three sentinels
BENCHMARK_CAPTURE(run, redlock_paused_holder, "redlock_paused_holder");  // five independent servers
BENCHMARK_CAPTURE(run, zookeeper_paused_holder, "zookeeper_paused_holder");
BENCHMARK_CAPTURE(run, zookeeper_healthy_control, "zookeeper_healthy_control");
BENCHMARK_CAPTURE(run, etcd_paused_holder, "etcd_paused_holder");
BENCHMARK_CAPTURE(run, etcd_healthy_control, "etcd_healthy_control");
BENCHMARK_CAPTURE(idle_share, zookeeper_paused_holder, "zookeeper_paused_holder");
BENCHMARK_CAPTURE(idle_share, zookeeper_healthy_control, "zookeeper_healthy_control");
BENCHMARK_CAPTURE(idle_share, etcd_paused_holder, "etcd_paused_holder");
BENCHMARK_CAPTURE(idle_share, etcd_healthy_control, "etcd_healthy_control");

}  // namespace
}  // namespace picklock
