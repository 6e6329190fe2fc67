// An ensemble of ZooKeeper servers: how long it idles in a second, and what a write costs.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/zookeeper/ensemble_lab.hpp"

namespace picklock::testing {
namespace {

EnsembleLabOptions options_of(std::int64_t servers, std::size_t clients) {
  EnsembleLabOptions options;
  options.servers = static_cast<std::size_t>(servers);
  options.clients = clients;
  options.zoo = {};  // tick 2 s
  options.keep_transactions = false;
  return options;
}

// virtual_s/s: virtual seconds per second.  Goal for three servers: 200,000.
void idle(benchmark::State& state) {
  EnsembleLab lab;
  lab.begin(options_of(state.range(0), 0), 1);
  lab.run_until(seconds(10));
  if (!lab.converged()) return state.SkipWithError("no leader");
  Duration until = seconds(10);
  const std::uint64_t before = lab.world.events();
  for (auto _ : state) {
    until += seconds(1000);
    lab.run_until(until);
  }
  const auto virtual_seconds = static_cast<double>(state.iterations()) * 1000;
  state.counters["virtual_s/s"] = benchmark::Counter(virtual_seconds, benchmark::Counter::kIsRate);
  state.counters["events/virtual_s"] = static_cast<double>(lab.world.events() - before) / virtual_seconds;
}
BENCHMARK(idle)->Arg(3)->Arg(5);

// Clients that write and read as they do in the tests of the store.
void load(benchmark::State& state) {
  EnsembleLab lab;
  std::uint64_t seed = 0, operations = 0, events = 0, messages = 0;
  for (auto _ : state) {
    EnsembleLabOptions options = options_of(state.range(0), 8);
    options.load = seconds(10);
    lab.begin(options, ++seed);
    lab.run_until(seconds(10));
    operations += lab.history.ops.size();
    events += lab.world.events();
    messages += lab.world.trace.records();
  }
  state.counters["operations/s"] = benchmark::Counter(static_cast<double>(operations), benchmark::Counter::kIsRate);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["records/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}
BENCHMARK(load)->Arg(3)->Arg(5);

}  // namespace
}  // namespace picklock::testing
