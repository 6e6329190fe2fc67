// How fast the engine is, beside a hand-written loop in the same process.
//
//   build/release/bench/engine_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only
//
// Goals: timers at no less than half the rate of the hand loop at 1,000 pending; 5 M round trips a
// second between two nodes, each with its timeout armed and cancelled and two latency draws.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/service.hpp"
#include "sim/core/world.hpp"
#include "tests/bench/hand_loop.hpp"

namespace picklock::bench {
namespace {

constexpr std::int64_t kTrips = 200'000;

// Enough that starting the tasks does not count.
std::int64_t timers_for(std::int64_t pending) { return std::max<std::int64_t>(1'000'000, 40 * pending); }

// --- timers --------------------------------------------------------------------------------------

void hand_loop(benchmark::State& state) {
  for (auto _ : state) turn_hand_loop(state.range(0), timers_for(state.range(0)));
  state.SetItemsProcessed(state.iterations() * timers_for(state.range(0)));
}
BENCHMARK(hand_loop)->Arg(10)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);

Task<void> actor(Host host, std::uint64_t r, std::int64_t* left) {
  while ((*left)-- > 0) co_await host.sleep({static_cast<std::int64_t>(next_random(r))});
}
Task<void> traced_actor(Host host, World* world, std::uint64_t r, std::int64_t* left) {
  while ((*left)-- > 0) {
    co_await host.sleep({static_cast<std::int64_t>(next_random(r))});
    world->record(60, host.node(), 1, r);
  }
}

void timers(benchmark::State& state, std::int32_t ppm, bool traced) {
  World world;
  for (auto _ : state) {
    world.reset(1);
    std::int64_t left = timers_for(state.range(0));
    for (int i = 0; i < 10; ++i) {
      world.nodes.initial_clock(world.nodes.add("n" + std::to_string(i))).set_rate(TrueTime{}, ppm);
    }
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const auto node = static_cast<NodeId>(1 + i % 10);
      const auto r = static_cast<std::uint64_t>(i * 7919 + 1);
      world.tasks.start(node, "actor",
                        traced ? traced_actor(world.host(node), &world, r, &left) : actor(world.host(node), r, &left));
    }
    world.run();
    benchmark::DoNotOptimize(world.trace.digest());
  }
  state.SetItemsProcessed(state.iterations() * timers_for(state.range(0)));
}
BENCHMARK_CAPTURE(timers, plain, 0, false)->Arg(10)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timers, drifting, 37, false)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timers, traced, 0, true)->Arg(1000)->Unit(benchmark::kMillisecond);

// --- round trips ---------------------------------------------------------------------------------

class Ask final : public ExchangeAwaiter {
 public:
  Ask(RpcChannel& channel, std::string_view request, Mark m) : ExchangeAwaiter(channel, m), request_(request) {}
  void await_suspend(std::coroutine_handle<> me) { send(request_, me); }
  std::size_t await_resume() { return reply().size(); }

 private:
  std::string_view request_;
};

Task<void> serve(Service service) {
  for (;;) {
    const Message request = co_await service.receive();
    service.reply(request, request.body.view());
  }
}
Task<void> ask_often(Host, RpcChannel* channel, std::int64_t times, Mark m) {
  for (std::int64_t i = 0; i < times; ++i) {
    const std::size_t size = co_await Ask(*channel, "sixteen bytes ..", m);
    benchmark::DoNotOptimize(size);
  }
}

void round_trips(benchmark::State& state, Mark m) {
  World world;
  const std::int64_t clients = state.range(0);
  for (auto _ : state) {
    world.reset(1);
    const NodeId server = world.nodes.add("server");
    world.tasks.start(server, "main", serve(Service(world, server)));
    for (std::int64_t i = 0; i < clients; ++i) {
      const NodeId n = world.nodes.add("c" + std::to_string(i));
      RpcChannel& channel = world.channels.open(n, server, {});
      world.tasks.start(n, "main", ask_often(world.host(n), &channel, kTrips / clients, m));
    }
    world.run();
    benchmark::DoNotOptimize(world.trace.digest());
  }
  state.SetItemsProcessed(state.iterations() * kTrips);
}
BENCHMARK_CAPTURE(round_trips, plain, mark::none)->Arg(1)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(round_trips, marked, mark::writes)->Arg(1)->Arg(16)->Unit(benchmark::kMillisecond);

// --- a run's fixed costs -------------------------------------------------------------------------

// An empty run: reset, three nodes, two channels, a server and two clients that end at once.
void small_run(benchmark::State& state, bool fresh) {
  World used;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    std::optional<World> made;
    World& world = fresh ? made.emplace() : used;
    world.reset(++seed);
    const NodeId server = world.nodes.add("redis"), a = world.nodes.add("a"), b = world.nodes.add("b");
    world.tasks.start(server, "main", serve(Service(world, server)));
    for (const NodeId n : {a, b}) {
      RpcChannel& channel = world.channels.open(n, server, {});
      world.tasks.start(n, "main", ask_often(world.host(n), &channel, 1, mark::writes));
    }
    world.run();
    benchmark::DoNotOptimize(world.trace.digest());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["bytes"] = static_cast<double>(used.bytes_reserved());
}
BENCHMARK_CAPTURE(small_run, reset, false);
BENCHMARK_CAPTURE(small_run, fresh, true);

void draw(benchmark::State& state, const Law& law) {
  Draws draws;
  draws.reset(1);
  const Entity a{hash_of("a"), 0};
  const Operation operation{Operation::key_of(a.hash, 1), 0, 1, 0};
  std::uint32_t n = 0;
  for (auto _ : state) benchmark::DoNotOptimize(draws.draw({}, a, Purpose::latency, operation, ++n, law));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(draw, uniform, Law::uniform(milliseconds(1), milliseconds(2)));
BENCHMARK_CAPTURE(draw, exponential, Law::exponential(1'000'000, 1'000'000'000));
BENCHMARK_CAPTURE(draw, heavy_tailed, Law::heavy_tailed(1'000'000, 1500, 1'000'000'000));

void record(benchmark::State& state) {
  Trace trace;
  std::uint64_t n = 0;
  for (auto _ : state) trace.add({static_cast<std::int64_t>(++n), 60, 1, 2, n, n});
  benchmark::DoNotOptimize(trace.digest());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record);

}  // namespace
}  // namespace picklock::bench
