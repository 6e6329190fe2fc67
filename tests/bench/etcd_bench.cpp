// etcd members that idle, and that are asked.

#include <benchmark/benchmark.h>

#include "sim/etcd/cluster_lab.hpp"

namespace picklock {
namespace {

using testing::EtcdCluster;
using testing::EtcdClusterOptions;

// Virtual seconds per wall second of members that have a leader and no clients.  Goal for three: 10,000.
void idle(benchmark::State& state) {
  EtcdClusterOptions options;
  options.members = static_cast<std::size_t>(state.range(0));
  options.clients = 0;
  EtcdCluster cluster(options);
  std::int64_t now_s = 5;
  cluster.run_until(seconds(now_s));
  if (cluster.leader() == options.members) return state.SkipWithError("no leader");
  const std::uint64_t events = cluster.world.events();
  std::int64_t virtual_s = 0;
  for (auto _ : state) {
    now_s += 100;
    virtual_s += 100;
    cluster.run_until(seconds(now_s));
  }
  state.counters["virtual_s/s"] = benchmark::Counter(static_cast<double>(virtual_s), benchmark::Counter::kIsRate);
  state.counters["events/virtual_s"] =
      static_cast<double>(cluster.world.events() - events) / static_cast<double>(virtual_s);
}
BENCHMARK(idle)->Name("etcd/idle")->Arg(3)->Arg(5)->Unit(benchmark::kMillisecond);

Task<void> ask(Host, Etcd* etcd, std::string key, bool reads, std::uint64_t* answered) {
  for (;;) {
    if (reads) {
      EtcdRange request(key);
      const auto done = co_await etcd->range(request);
      *answered += done.yes() ? 1 : 0;
    } else {
      EtcdPut request(key, "a value of some length");
      const auto done = co_await etcd->put(request);
      *answered += done.yes() ? 1 : 0;
    }
  }
}

struct Served {
  std::uint64_t answered = 0, events = 0, messages = 0;
};

// Two seconds of this number of clients in a loop, spread evenly over the members.
Served serve(const EtcdClusterOptions& options, bool reads, bool counts_messages) {
  Served served;
  EtcdCluster cluster(options);
  cluster.run_until(seconds(4));
  cluster.world.trace.record_fully(counts_messages);
  const std::uint64_t before = cluster.world.events();
  for (std::size_t i = 0; i < options.clients; ++i) {
    const NodeId n = cluster.client_node[i];
    cluster.world.tasks.start(
        n, "main",
        ask(cluster.world.host(n), cluster.clients[i].get(), "k" + std::to_string(i), reads, &served.answered));
  }
  cluster.run_until(seconds(6));
  served.events = cluster.world.events() - before;
  if (!counts_messages) return served;
  for (const TraceRecord& r : cluster.world.trace.full()) served.messages += r.kind == trace::segment_sent;
  return served;
}

// Requests and messages per wall second.  Every iteration is the same run, so its messages are counted once, untimed.
void load(benchmark::State& state, bool reads) {
  EtcdClusterOptions options;
  options.clients = static_cast<std::size_t>(state.range(0));
  options.pinned = true;
  const std::uint64_t messages = serve(options, reads, true).messages;
  Served all;
  for (auto _ : state) {
    const Served once = serve(options, reads, false);
    all.answered += once.answered;
    all.events += once.events;
    all.messages += messages;
  }
  const auto rate = [](std::uint64_t n) {
    return benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsRate);
  };
  state.counters["requests/s"] = rate(all.answered);
  state.counters["messages/s"] = rate(all.messages);
  state.counters["events/s"] = rate(all.events);
  state.counters["messages/request"] = static_cast<double>(all.messages) / static_cast<double>(all.answered);
}
BENCHMARK_CAPTURE(load, puts, false)->Name("etcd/puts")->Arg(3)->Arg(30)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, gets, true)->Name("etcd/gets")->Arg(3)->Arg(30)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace picklock
