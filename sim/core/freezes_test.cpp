// Freezes of hosts: their clocks stand still, and their peers try again.

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Lab;
using testing::ms;
using testing::Pair;
using testing::Seen;

Task<void> ticker(Host host, World* world, int n, Duration each, std::vector<Duration>* ticks) {
  for (int i = 0; i < n; ++i) {
    co_await host.sleep(each);
    ticks->push_back(world->now() - TrueTime{});
  }
}
Task<void> worker(Host host, World* world, Duration amount, Duration* done) {
  co_await host.work(amount);
  *done = world->now() - TrueTime{};
}

TEST(Freeze, StopsTimersAndPeersRetransmit) {
  Pair pair;
  pair.call(2);
  pair.freeze(pair.server, ms(5), ms(100));
  pair.run();
  // The second request, sent at 12 ms, finds a frozen host at 13 ms; the kernel sends it again 200 ms later.
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(2)}, {"ok 2", ms(215)}}));
  EXPECT_EQ(pair.world.network.segments_lost(), 1u);
}

TEST(Freeze, ItsOwnTimeoutsWaitToo) {
  Pair pair({.request_timeout = ms(50)});
  pair.call(1);
  pair.rule({pair.server}, {pair.n}, Fate::drop);
  pair.freeze(pair.n, ms(20), seconds(10));
  pair.run_until(seconds(11));
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"timed out", ms(50) + seconds(10)}}));
}

TEST(Freeze, ItsKernelRetransmitsOnlyOnceItRunsAgain) {
  Pair pair({.request_timeout = seconds(100)});
  pair.call(1);
  const auto rule = pair.rule({pair.n}, {pair.server}, Fate::drop);
  pair.at(ms(1), [=](World& w) { w.network.uninstall(rule); });
  pair.freeze(pair.n, ms(100), seconds(20));
  pair.run();
  EXPECT_EQ(pair.seen, (std::vector<Seen>{{"ok 1", ms(100) + seconds(20) + ms(2)}}));
  EXPECT_EQ(pair.world.network.segments_lost(), 1u);
}

TEST(Freeze, OutlivesTheDeathOfAProcess) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> ticks;
  lab.freeze(n, ms(10), ms(100));
  lab.at(ms(50), [n](World& w) { w.faults.kill(n); });
  lab.at(ms(60), [&](World& w) {
    w.faults.restart(n);
    w.tasks.start(n, "main", ticker(w.host(n), &w, 1, ms(10), &ticks));
  });
  lab.run();
  EXPECT_TRUE(lab.world.nodes.reachable(n));
  EXPECT_EQ(ticks, (std::vector<Duration>{ms(120)}));
}

TEST(Freeze, EndsWithAPowerLoss) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  std::vector<Duration> ticks;
  lab.freeze(n, ms(10), ms(100));
  lab.at(ms(50), [n](World& w) { w.faults.lose_power(n); });
  lab.at(ms(60), [&](World& w) {
    w.faults.restart(n);
    w.tasks.start(n, "main", ticker(w.host(n), &w, 6, ms(10), &ticks));
  });
  lab.freeze(n, ms(75), ms(100));  // the thaw at 110 ms is not its own
  lab.run();
  EXPECT_EQ(ticks, (std::vector<Duration>{ms(70), ms(180), ms(190), ms(200), ms(210), ms(220)}));
}

TEST(Freeze, AndPauseAtOnce) {
  for (const bool pause_ends_first : {false, true}) {
    Lab lab;
    const NodeId n = lab.world.nodes.add("n");
    std::vector<Duration> ticks;
    Duration worked{};
    lab.world.tasks.start(n, "main", ticker(lab.world.host(n), &lab.world, 2, ms(100), &ticks));
    lab.world.tasks.start(n, "job", worker(lab.world.host(n), &lab.world, ms(100), &worked));
    lab.pause(n, ms(10), pause_ends_first ? ms(20) : ms(140));
    lab.freeze(n, ms(20), ms(100));
    lab.run();
    // Its clock stands from 20 ms to 120 ms; it is stopped from 10 ms to 120 ms or 150 ms.
    EXPECT_EQ(ticks, (std::vector<Duration>{ms(200), ms(300)}));
    EXPECT_EQ(worked, ms(90) + (pause_ends_first ? ms(120) : ms(150)));
  }
}

}  // namespace
}  // namespace picklock
