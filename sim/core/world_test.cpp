// Running, resetting, and reports of waiting tasks.

#include "sim/core/world.hpp"

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::caller;
using testing::EchoServer;
using testing::Lab;
using testing::ms;
using testing::Seen;
using testing::true_at;

Task<void> passes(Host host, int times) {
  for (int i = 0; i < times; ++i) {
    co_await host.sleep(ms(10));
    co_await host.pass(mark::enters);
  }
}

TEST(World, RunsUntilItsLimitsAndGoesOn) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.world.tasks.start(n, "main", passes(lab.world.host(n), 100));
  EXPECT_EQ(lab.run_until(ms(105)), RunEnd::time);
  EXPECT_EQ(lab.world.now(), true_at(ms(105)));
  EXPECT_EQ(lab.run_until(ms(50)), RunEnd::time);  // the instant is past: nothing happens
  EXPECT_EQ(lab.world.now(), true_at(ms(105)));
  const std::uint64_t events = lab.world.events();
  EXPECT_EQ(lab.world.run({.events = events + 7}), RunEnd::budget);
  EXPECT_EQ(lab.world.events(), events + 7);
  lab.at(ms(500), [](World& w) { w.stop(); });
  EXPECT_EQ(lab.run(), RunEnd::stopped);
  EXPECT_EQ(lab.world.now(), true_at(ms(500)));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.world.now(), true_at(ms(1000)));
  EXPECT_EQ(lab.run_until(seconds(2)), RunEnd::quiescent);
  EXPECT_EQ(lab.world.now(), true_at(seconds(2)));
}

Task<void> spins(Host host) {
  co_await host.sleep(ms(3));
  for (;;) co_await host.yield("forever");
}

TEST(World, NoticesThatTimeStandsStill) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.world.tasks.start(n, "main", spins(lab.world.host(n)));
  EXPECT_EQ(lab.run(), RunEnd::livelock);
  EXPECT_EQ(lab.world.now(), true_at(ms(3)));
  EXPECT_EQ(lab.run(), RunEnd::livelock);
}

Task<void> spins_for(Host host, int times) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < times; ++i) co_await host.yield("for a while");
    co_await host.sleep(nanoseconds(1));
  }
}

TEST(World, CountsTheEventsOfOneInstantOnly) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  lab.world.tasks.start(n, "main", spins_for(lab.world.host(n), 600'000));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
}

TEST(World, AResetPutsEverythingBack) {
  EchoServer echo;
  const auto run_plainly = [&](World& w) {
    w.reset(3);
    const NodeId server = w.nodes.add("server"), n = w.nodes.add("n");
    echo.durable = true;
    w.install(server, echo);
    RpcChannel& channel = w.channels.open(n, server, {.connected_at_start = false});
    std::vector<Seen> seen;
    w.tasks.start(n, "main", caller(w.host(n), &w, &channel, 5, &seen, mark::writes));
    w.run();
    const std::uint64_t digest = w.trace.digest();
    w.reset(0);
    return digest;
  };
  World fresh;
  Lab used;
  const NodeId server = used.world.nodes.add("server"), n = used.world.nodes.add("n");
  used.world.network.set_latency(server, n, Law::constant(ms(5)));
  used.rule({n}, {server}, Fate::delay, 500'000, Law::constant(ms(7)));
  used.world.nodes.set_cpu_cost(server, Law::constant(ms(3)));
  used.world.nodes.disk(server).slowdown = used.world.nodes.disk(server).sync_latency = Law::constant(ms(9));
  used.world.nodes.disk(server).append(used.world.nodes.disk(server).open("log"), "old");
  used.on(
      n, mark::writes, [n](World& w) { w.faults.kill(n); }, MarkSide::before);
  used.at(ms(1),
          [server, n](World& w) { w.faults.pause(server), w.faults.pause_task(server, "main"), w.faults.freeze(n); });
  used.world.faults.set_rate(n, 500);
  used.world.faults.step_clock(n, seconds(1));
  ASSERT_EQ(used.world.draws.set_overrides({{"n>server/latency@n#0.1", 5}}), std::nullopt);
  used.run_until(ms(10));
  used.world.faults.lose_power(server);
  used.world.stop();
  EXPECT_EQ(run_plainly(used.world), run_plainly(fresh));
}

Task<void> waits_for(Host, Event* event) { co_await event->wait(); }
Task<void> sleeps(Host host, Duration d) { co_await host.sleep(d); }
Task<void> works(Host host, Duration d) { co_await host.work(d); }

TEST(Waiting, SaysWhoWaitsForWhatAndUntilWhen) {
  Lab lab;
  EchoServer echo;
  const NodeId server = lab.world.nodes.add("server"), n = lab.world.nodes.add("n");
  lab.world.install(server, echo);
  RpcChannel& channel = lab.world.channels.open(n, server, {});
  Event event(lab.world.host(n), "the lock");
  std::vector<Seen> seen;
  lab.world.faults.pause_task(n, "paused");
  const auto start = [&](std::string_view name, Task<void> task) { lab.world.tasks.start(n, name, std::move(task)); };
  start("main", waits_for(lab.world.host(n), &event));
  start("renewal", sleeps(lab.world.host(n), seconds(3)));
  start("job", works(lab.world.host(n), seconds(2)));
  start("asker", caller(lab.world.host(n), &lab.world, &channel, 1, &seen));
  start("paused", sleeps(lab.world.host(n), ms(1)));
  lab.run_until(testing::us(1500));
  std::vector<std::string> lines;
  for (const Waiting& w : lab.world.tasks.waiting()) {
    lines.push_back(w.task + " waits for " + w.what +
                    (w.until ? " until " + std::to_string((*w.until - TrueTime{}).ms()) + " ms" : ""));
  }
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"n waits for the lock", "n.asker waits for reply until 1000 ms",
                                             "n.job waits for work until 2000 ms", "n.paused waits for its first step",
                                             "n.renewal waits for sleep until 3000 ms", "server waits for requests"}));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  ASSERT_EQ(lab.world.tasks.waiting().size(), 3u);  // a stall: nothing will ever happen to these
  EXPECT_EQ(lab.world.tasks.waiting()[1].task, "n");
  EXPECT_EQ(lab.world.tasks.waiting()[1].what, "the lock");
  lab.world.reset(0);
}

}  // namespace
}  // namespace picklock
