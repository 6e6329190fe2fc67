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

struct Served {
  std::uint64_t operations = 0, events = 0, messages = 0;
};

// Eight clients that write and read as they do in the tests of the store, for ten virtual seconds.
Served serve(EnsembleLab& lab, std::int64_t servers, bool counts_messages) {
  EnsembleLabOptions options = options_of(servers, 8);
  options.load = seconds(10);
  lab.begin(options, 1);
  lab.world.trace.record_fully(counts_messages);
  lab.run_until(seconds(10));
  Served served{lab.history.ops.size(), lab.world.events(), 0};
  if (counts_messages) {
    for (const TraceRecord& r : lab.world.trace.full()) served.messages += r.kind == trace::segment_sent;
  }
  return served;
}

// Every iteration is the same run, so its messages are counted once, untimed.
void load(benchmark::State& state) {
  EnsembleLab lab;
  const std::uint64_t messages = serve(lab, state.range(0), true).messages;
  Served all;
  for (auto _ : state) {
    const Served served = serve(lab, state.range(0), false);
    all.operations += served.operations;
    all.events += served.events;
    all.messages += messages;
  }
  const auto rate = [](std::uint64_t n) {
    return benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsRate);
  };
  state.counters["operations/s"] = rate(all.operations);
  state.counters["events/s"] = rate(all.events);
  state.counters["messages/s"] = rate(all.messages);
}
BENCHMARK(load)->Arg(3)->Arg(5);

}  // namespace
}  // namespace picklock::testing
