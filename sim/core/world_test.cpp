// Running, triggers, and reports of who waits for what.

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

TEST(Trigger, FiresOnceAtItsCountAndAfterItsOffset) {
  Lab lab;
  const NodeId a = lab.world.add_node("a"), b = lab.world.add_node("b");
  std::vector<std::pair<std::string, Duration>> fired;
  const auto note = [&](std::string what) {
    return [&fired, what](World& w) { fired.push_back({what, w.now() - TrueTime{}}); };
  };
  lab.on(a, mark::enters, note("first"));
  lab.on(a, mark::enters, note("third"), MarkSide::at, 3);
  lab.on(a, mark::enters, note("7 ms after the second"), MarkSide::at, 2, ms(7));
  lab.on(a, mark::enters, note("before"), MarkSide::before);
  lab.on(a, mark::leaves, note("another mark"));
  // Another mark that shares its bit in the filter.
  lab.on(a, Mark{static_cast<std::uint16_t>(mark::enters.id + 64)}, note("a mark 64 further on"));
  lab.on(b, mark::enters, note("b"), MarkSide::at, 2);
  lab.world.start(a, "main", passes(lab.world.host(a), 5));
  lab.world.start(b, "main", passes(lab.world.host(b), 1));
  lab.run();
  EXPECT_EQ(fired, (std::vector<std::pair<std::string, Duration>>{
                       {"first", ms(10)}, {"7 ms after the second", ms(27)}, {"third", ms(30)}}));
}

TEST(Trigger, ThatInstallsAnotherDoesNotCountThePresentPassing) {
  Lab lab;
  const NodeId n = lab.world.add_node("n");
  std::vector<Duration> fired;
  lab.on(n, mark::enters, [&](World& w) {
    w.on({n, MarkSide::at, mark::enters, 1, {}}, lab.action([&](World& x) { fired.push_back(x.now() - TrueTime{}); }));
  });
  lab.world.start(n, "main", passes(lab.world.host(n), 3));
  lab.run();
  EXPECT_EQ(fired, std::vector<Duration>{ms(20)});
}

Task<void> draws_once(Host host) {
  (void)host.random(Purpose::start);
  co_await host.sleep(ms(1));
}
Task<void> passes_in_operation(Host host, World* world) {
  world->begin_operation(host.node(), 5, 3);
  co_await host.pass(mark::enters);
  (void)host.random(Purpose::hold);
}

TEST(Trigger, ActsForTheWorldAndNotForWhoPassed) {
  Lab lab;
  const NodeId a = lab.world.add_node("a"), b = lab.world.add_node("b");
  lab.world.draws.log(true);
  lab.on(a, mark::enters, [&](World& w) {
    EXPECT_EQ(w.current_operation().hold, 0u);
    w.start(b, "main", draws_once(w.host(b)));
  });
  lab.world.start(a, "main", passes_in_operation(lab.world.host(a), &lab.world));
  lab.run();
  std::vector<std::string> names;
  for (const DrawRecord& r : lab.world.draws.logged()) names.push_back(lab.world.draw_name(r));
  EXPECT_EQ(names, (std::vector<std::string>{"a/hold@a#5.1", "b/start@b#0.1"}));
}

TEST(World, RunsUntilItsLimitsAndGoesOn) {
  Lab lab;
  const NodeId n = lab.world.add_node("n");
  lab.world.start(n, "main", passes(lab.world.host(n), 100));
  EXPECT_EQ(lab.run_until(ms(105)), RunEnd::time);
  EXPECT_EQ(lab.world.now(), true_at(ms(105)));
  EXPECT_EQ(lab.run_until(ms(50)), RunEnd::time);  // in the past: nothing happens
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
  const NodeId n = lab.world.add_node("n");
  lab.world.start(n, "main", spins(lab.world.host(n)));
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
  const NodeId n = lab.world.add_node("n");
  lab.world.start(n, "main", spins_for(lab.world.host(n), 600'000));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
}

TEST(World, AResetPutsEverythingBack) {
  EchoServer echo;
  const auto run_plainly = [&](World& w) {
    w.reset(3);
    const NodeId server = w.add_node("server"), n = w.add_node("n");
    echo.durable = true;
    w.install(server, echo);
    RpcChannel& channel = w.open_channel(n, server, {.connected_at_start = false});
    std::vector<Seen> seen;
    w.start(n, "main", caller(w.host(n), &w, &channel, 5, &seen, mark::writes));
    w.run();
    const std::uint64_t digest = w.trace.digest();
    w.reset(0);
    return digest;
  };
  World fresh;
  Lab used;
  const NodeId server = used.world.add_node("server"), n = used.world.add_node("n");
  used.world.network.set_latency(server, n, Law::constant(ms(5)));
  used.rule({n}, {server}, Fate::delay, 500'000, Law::constant(ms(7)));
  used.world.set_cpu_cost(server, Law::constant(ms(3)));
  used.world.disk(server).slowdown = used.world.disk(server).sync_latency = Law::constant(ms(9));
  used.world.disk(server).append(used.world.disk(server).open("log"), "old");
  used.on(
      n, mark::writes, [n](World& w) { w.kill(n); }, MarkSide::before);
  used.at(ms(1), [server, n](World& w) { w.pause(server), w.pause_task(server, "main"), w.freeze(n); });
  used.world.set_rate(n, 500);
  used.world.step_clock(n, seconds(1));
  ASSERT_EQ(used.world.draws.set_overrides({{"n>server/latency@n#0.1", 5}}), std::nullopt);
  used.run_until(ms(10));
  used.world.lose_power(server);
  used.world.stop();
  EXPECT_EQ(run_plainly(used.world), run_plainly(fresh));
}

Task<void> waits_for(Host, Event* event) { co_await event->wait(); }
Task<void> sleeps(Host host, Duration d) { co_await host.sleep(d); }
Task<void> works(Host host, Duration d) { co_await host.work(d); }

TEST(Waiting, SaysWhoWaitsForWhatAndUntilWhen) {
  Lab lab;
  EchoServer echo;
  const NodeId server = lab.world.add_node("server"), n = lab.world.add_node("n");
  lab.world.install(server, echo);
  RpcChannel& channel = lab.world.open_channel(n, server, {});
  Event event(lab.world.host(n), "the lock");
  std::vector<Seen> seen;
  lab.world.pause_task(n, "paused");
  const auto start = [&](std::string_view name, Task<void> task) { lab.world.start(n, name, std::move(task)); };
  start("main", waits_for(lab.world.host(n), &event));
  start("renewal", sleeps(lab.world.host(n), seconds(3)));
  start("job", works(lab.world.host(n), seconds(2)));
  start("asker", caller(lab.world.host(n), &lab.world, &channel, 1, &seen));
  start("paused", sleeps(lab.world.host(n), ms(1)));
  lab.run_until(testing::us(1500));
  std::vector<std::string> lines;
  for (const Waiting& w : lab.world.waiting()) {
    lines.push_back(w.task + " waits for " + w.what +
                    (w.until ? " until " + std::to_string((*w.until - TrueTime{}).ms()) + " ms" : ""));
  }
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"n waits for the lock", "n.asker waits for reply until 1000 ms",
                                             "n.job waits for work until 2000 ms", "n.paused waits for its first step",
                                             "n.renewal waits for sleep until 3000 ms", "server waits for requests"}));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  ASSERT_EQ(lab.world.waiting().size(), 3u);  // a stall: nothing will ever happen to these
  EXPECT_EQ(lab.world.waiting()[1].task, "n");
  EXPECT_EQ(lab.world.waiting()[1].what, "the lock");
  lab.world.reset(0);
}

TEST(World, FindsNodesByName) {
  Lab lab;
  const NodeId a = lab.world.add_node("a"), b = lab.world.add_node("b");
  EXPECT_EQ(lab.world.find_node("b"), b);
  EXPECT_EQ(lab.world.find_node("a"), a);
  EXPECT_EQ(lab.world.find_node("world"), std::nullopt);
  EXPECT_EQ(lab.world.node_name(b), "b");
  lab.world.reset(1);
  EXPECT_EQ(lab.world.find_node("b"), std::nullopt);
}

TEST(World, ADiskStaysWhereItIs) {
  Lab lab;
  const NodeId a = lab.world.add_node("a");
  Disk* const disk = &lab.world.disk(a);
  for (int i = 0; i < 100; ++i) lab.world.add_node("n" + std::to_string(i));
  EXPECT_EQ(&lab.world.disk(a), disk);
}

}  // namespace
}  // namespace picklock
