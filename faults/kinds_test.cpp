// Tests of each kind of fault on two clients that ping a server.
#include <fmt/format.h>

#include "faults/fault_kinds.hpp"
#include "faults/ping_lab.hpp"

namespace picklock::testing {
namespace kinds_test {

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

TEST(Calm, EverybodyPingsAllTheTime) {
  PingLab w;
  w.run("", ms(300));
  EXPECT_EQ(answered(w.a).size(), 100U);  // 2 ms of way, 1 ms of sleep
  EXPECT_EQ(w.a.ticks.size(), 300U);
  EXPECT_TRUE(answered(w.a, false).empty());
  EXPECT_EQ(w.executed(), [] {
    Executed calm;
    calm.injected.assign(fault_kinds().size(), 0);
    calm.longest_message_delay = ms(1);
    return calm;
  }());
}

TEST(Pause, StopsOneProcessWhichThenCarriesOn) {
  PingLab w;
  w.run("pause node=a at=100ms lasts=200ms", ms(400));
  EXPECT_EQ(between(answered(w.a), ms(100), ms(300)), 0U);
  EXPECT_EQ(between(w.a.ticks, ms(100), ms(300)), 0U);
  EXPECT_GT(between(answered(w.a), ms(300), ms(400)), 30U);
  EXPECT_GT(between(answered(w.b), ms(100), ms(300)), 60U);
  EXPECT_EQ(w.executed().longest_pause, ms(200));
  EXPECT_EQ(w.executed().pauses, 1);
}

TEST(Pause, OfAServerDelaysAnswersAndLosesNone) {
  PingLab w;
  w.run("pause node=server at=100ms lasts=200ms", ms(400));
  EXPECT_EQ(between(answered(w.a), ms(102), ms(300)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(100), ms(300)), 190U);
  EXPECT_TRUE(answered(w.a, false).empty());
}

TEST(Pause, OfOneTaskLeavesTheOthersRunning) {
  PingLab w;
  w.run("pause node=a task=renewal at=100ms lasts=200ms", ms(400));
  EXPECT_LE(between(w.a.ticks, ms(101), ms(300)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(300), ms(400)), 90U);
  EXPECT_GT(between(answered(w.a), ms(100), ms(300)), 60U);
  EXPECT_EQ(w.executed().longest_task_pause, ms(200));
  EXPECT_EQ(w.executed().longest_pause, ms(0));
}

TEST(Freeze, StopsClocksAndTheWallClockLagsOrCatchesUp) {
  for (const bool catches_up : {false, true}) {
    PingLab w;
    w.run(std::string("freeze node=a at=100ms lasts=200ms thaw=") + (catches_up ? "catches-up" : "lags"), ms(800));
    EXPECT_EQ(between(answered(w.a), ms(100), ms(300)), 0U);
    ASSERT_FALSE(w.a.answers.empty());
    const auto& last = w.a.answers.back();
    ASSERT_GT(last.at, TrueTime{} + ms(300));
    EXPECT_EQ(last.local - MonoTime{}, last.at - TrueTime{} - ms(200));
    EXPECT_EQ(last.wall - WallTime{} - Clock::kEpoch, last.at - TrueTime{} - (catches_up ? ms(0) : ms(200)));
    EXPECT_EQ(w.executed().longest_freeze, ms(200));
    EXPECT_EQ(w.executed().longest_stop, ms(200));
    EXPECT_EQ(w.executed().largest_clock_step, catches_up ? ms(0) : ms(200));
    EXPECT_EQ(w.executed().largest_clock_offset, ms(0));
  }
}

TEST(Kill, EndsTheProcessAndPeersHearOfIt) {
  PingLab w;
  w.run("kill node=server at=100ms restart-after=200ms", ms(600));
  EXPECT_EQ(between(answered(w.a), ms(103), ms(300)), 0U);
  EXPECT_GT(between(answered(w.a, false), ms(100), ms(300)), 10U) << "refused at once, not in silence";
  EXPECT_GT(between(answered(w.a), ms(310), ms(600)), 80U);
  EXPECT_EQ(w.executed().kills, 1);
  EXPECT_EQ(w.executed().restarts, 1);
}

TEST(Kill, KeepsThePageCacheAndPowerLossDoesNot) {
  PingLab w;
  w.server.syncs = false;
  w.run("kill node=server at=100ms", ms(150));
  EXPECT_GT(w.server.logged(w.world), 60U);
  w.run("power-loss node=server at=100ms", ms(150));
  EXPECT_EQ(w.server.logged(w.world), 0U);
  w.server.syncs = true;
  w.run("power-loss node=server at=100ms", ms(150));
  EXPECT_GT(w.server.logged(w.world), 60U);
}

TEST(PowerLoss, IsSilent) {
  PingLab w;
  w.run("power-loss node=server at=100ms", ms(900));
  EXPECT_EQ(between(answered(w.a), ms(103), ms(900)), 0U);
  EXPECT_TRUE(answered(w.a, false).empty()) << "the timeout of 1 s is not over yet";
  EXPECT_FALSE(w.world.nodes.powered(PingLab::kServer));
  EXPECT_EQ(w.executed().power_losses, 1);
}

TEST(Restart, BootsTheDeadAndLeavesTheLivingAlone) {
  PingLab w;
  w.run("kill node=a at=100ms stays=true\nrestart node=a at=200ms\nrestart node=b at=200ms", ms(400));
  EXPECT_EQ(w.a.boots, 2U);
  EXPECT_EQ(w.b.boots, 1U);
  EXPECT_EQ(between(w.a.ticks, ms(100), ms(200)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(200), ms(400)), 190U);
}

TEST(Restart, EndsEveryDeathInForce) {
  PingLab w;
  w.run(
      "kill node=a at=100ms restart-after=300ms\nrestart node=a at=200ms\n"
      "kill node=a at=300ms restart-after=300ms",
      ms(700));
  EXPECT_EQ(w.a.boots, 3U);
  EXPECT_EQ(between(w.a.ticks, ms(300), ms(600)), 0U) << "the first death must not end the second";
  EXPECT_GT(between(w.a.ticks, ms(600), ms(700)), 90U);
}

TEST(Partition, OfOneSideCutsBothWaysAndHealsByRetransmission) {
  PingLab w;
  w.run("partition between=a at=100ms lasts=150ms", ms(600));
  EXPECT_EQ(between(answered(w.a), ms(102), ms(250)), 0U);
  EXPECT_GT(between(answered(w.a), ms(320), ms(600)), 60U);
  EXPECT_GT(between(answered(w.b), ms(100), ms(250)), 45U);
  EXPECT_GT(w.executed().segments_lost, 0);
  EXPECT_GT(w.executed().longest_message_delay, ms(150));
}

TEST(Partition, TheSidesOfAllIncludeThoseNotNamed) {
  PingLab w;
  w.run("partition shape=all between=\"a | b\" at=100ms", ms(300));
  EXPECT_EQ(between(answered(w.a), ms(102), ms(300)), 0U) << "the server is on a third side";
  w.run("partition shape=all between=\"a server | b\" at=100ms", ms(300));
  EXPECT_GT(between(answered(w.a), ms(102), ms(300)), 60U);
  EXPECT_EQ(between(answered(w.b), ms(102), ms(300)), 0U);
}

TEST(Partition, TouchesOnlyThoseNamedUnlessItsShapeSaysOtherwise) {
  for (const char* shape : {"", "shape=partial "}) {
    PingLab w;
    w.run(fmt::format("partition {}between=\"a | server\" at=100ms", shape), ms(300));
    EXPECT_EQ(between(answered(w.a), ms(102), ms(300)), 0U);
    EXPECT_GT(between(answered(w.b), ms(102), ms(300)), 60U);
    w.run(fmt::format("partition {}between=\"a | b\" at=100ms", shape), ms(300));
    EXPECT_GT(between(answered(w.a), ms(102), ms(300)), 60U) << "the server is on no side";
    EXPECT_GT(between(answered(w.b), ms(102), ms(300)), 60U);
  }
  PingLab wide;
  wide.run("partition shape=all between=\"a | server\" at=100ms", ms(300));
  EXPECT_EQ(between(answered(wide.b), ms(102), ms(300)), 0U) << "the server is cut off from b as well";
}

TEST(Partition, OneWayLosesTheAnswersOrTheRequests) {
  PingLab w;
  w.run("partition shape=one-way between=\"server | a\" at=101ms", ms(300));
  EXPECT_EQ(between(answered(w.a), ms(102), ms(300)), 0U);
  const std::size_t with_request = w.server.logged(w.world);
  w.run("partition shape=one-way between=\"a | server\" at=101ms", ms(300));
  EXPECT_EQ(between(answered(w.a), ms(102), ms(300)), 0U);
  EXPECT_EQ(w.server.logged(w.world) + 1, with_request) << "one more request arrived";
}

TEST(Delay, AddsToTheLatency) {
  PingLab w;
  w.run("delay from=a to=server by=10ms at=99ms lasts=100ms", ms(300));
  const auto slow = between(answered(w.a), ms(112), ms(190));
  EXPECT_GE(slow, 5U);
  EXPECT_LE(slow, 6U) << "13 ms a round";
  EXPECT_GT(between(answered(w.b), ms(100), ms(200)), 30U);
  EXPECT_EQ(w.executed().longest_message_delay, ms(11));
}

TEST(Hold, LetsGoWhatItHeld) {
  PingLab w;
  w.run("hold from=a to=server at=100ms lasts=100ms", ms(300));
  EXPECT_EQ(between(answered(w.a), ms(103), ms(200)), 0U);
  EXPECT_EQ(between(answered(w.a), ms(200), ms(203)), 1U) << "no retransmission: at once";
  EXPECT_EQ(w.executed().segments_lost, 0);
}

TEST(Loss, LosesAShare) {
  PingLab w;
  w.run("loss share-ppm=200000 at=0s", seconds(20), 7, Law::constant(microseconds(1)));
  const auto all = static_cast<std::int64_t>(w.a.answers.size() + w.b.answers.size());
  ASSERT_GT(all, 300);
  // Each answer needs two segments to pass: the lost are a quarter of the passed.
  EXPECT_NEAR(static_cast<double>(w.executed().segments_lost) / static_cast<double>(2 * all), 0.25, 0.08);
  w.run("loss share-ppm=0", ms(300));
  EXPECT_EQ(w.executed().segments_lost, 0);
}

TEST(NetworkFaults, AStrongerOneWinsWhicheverBeganFirst) {
  for (const char* plan : {"delay by=1ms\npartition between=a at=100ms lasts=100ms",
                           "hold from=b at=50ms lasts=1ms\ndelay by=1ms\n"
                           "partition between=a at=100ms lasts=100ms"}) {
    PingLab w;
    w.run(plan, ms(600));
    EXPECT_EQ(between(answered(w.a), ms(105), ms(200)), 0U) << plan;
    EXPECT_GT(between(answered(w.a), ms(400), ms(600)), 30U) << plan;
    const auto rounds = between(answered(w.b), ms(300), ms(400));
    EXPECT_TRUE(rounds == 20 || rounds == 19) << "the delay is in force again: " << rounds;
  }
}

TEST(ClockOffset, FromTheStartIsNoStep) {
  PingLab w;
  w.run("clock-offset node=a by=-5s", ms(100));
  const auto& last = w.a.answers.back();
  EXPECT_EQ(last.wall - WallTime{} - Clock::kEpoch, last.at - TrueTime{} - seconds(5));
  EXPECT_EQ(last.local - MonoTime{}, last.at - TrueTime{});
  EXPECT_EQ(w.executed().clock_steps, 0);
  EXPECT_EQ(w.executed().largest_clock_offset, seconds(5));
}

TEST(ClockOffset, SetsTheClockWrongByThatMuchWhateverItWas) {
  PingLab w;
  w.run("clock-step node=a by=3s at=10ms\nclock-offset node=a by=1s at=50ms lasts=100ms", ms(100));
  auto last = w.a.answers.back();
  EXPECT_EQ(last.wall - WallTime{} - Clock::kEpoch, last.at - TrueTime{} + seconds(1));
  EXPECT_EQ(w.executed().clock_steps, 2);
  EXPECT_EQ(w.executed().largest_clock_step, seconds(3));
  EXPECT_EQ(w.executed().largest_clock_offset, seconds(0));
  w.run_until(ms(200));
  last = w.a.answers.back();
  EXPECT_EQ(last.wall - WallTime{} - Clock::kEpoch, last.at - TrueTime{} + seconds(3));
}

TEST(ClockDrift, MovesBothClocksAndAddsUp) {
  PingLab w;
  w.run("clock-drift node=a ppm=500000\nclock-drift node=a ppm=500000 at=100ms lasts=100ms", ms(300));
  // 100 ms at 1.5, 100 ms at 2, 100 ms at 1.5.
  EXPECT_EQ(w.world.tasks.monotonic_now(PingLab::kA) - MonoTime{}, ms(500));
  EXPECT_EQ(w.world.tasks.wall_now(PingLab::kA) - WallTime{} - Clock::kEpoch, ms(500));
  EXPECT_EQ(w.executed().largest_rate_error_ppm, 1'000'000);
  EXPECT_EQ(w.world.nodes.clock(PingLab::kB).ppm(), 0);
}

TEST(ClockDrift, KeepsTheClocksOwn) {
  PingLab w;
  w.reset();
  w.compile("clock-drift node=a ppm=100 lasts=100ms");
  w.world.nodes.initial_clock(PingLab::kA).set_rate(TrueTime{}, 30);
  w.start();
  w.run_until(ms(50));
  EXPECT_EQ(w.world.nodes.clock(PingLab::kA).ppm(), 130);
  w.run_until(ms(200));
  EXPECT_EQ(w.world.nodes.clock(PingLab::kA).ppm(), 30);
}

TEST(ClockStep, JumpsAndIsNotHealed) {
  PingLab w;
  w.run("clock-step node=a by=2s at=50ms", ms(100));
  w.armed.heal(w.world);
  w.run_until(ms(200));
  const auto& last = w.a.answers.back();
  EXPECT_EQ(last.wall - WallTime{} - Clock::kEpoch, last.at - TrueTime{} + seconds(2));
  EXPECT_EQ(w.executed().largest_clock_step, seconds(2));
}

TEST(SlowDisk, SlowsWritesDownAndTheNewestDecides) {
  PingLab w;
  w.run(
      "slow-disk node=server by=7ms at=0s lasts=300ms\n"
      "slow-disk node=server by=17ms at=100ms lasts=100ms",
      ms(400));
  EXPECT_NEAR(static_cast<double>(between(answered(w.a), ms(20), ms(100))), 80 / 14.0, 2.0);
  EXPECT_NEAR(static_cast<double>(between(answered(w.a), ms(120), ms(200))), 80 / 34.0, 2.0);
  EXPECT_NEAR(static_cast<double>(between(answered(w.a), ms(220), ms(300))), 80 / 14.0, 2.0);
  EXPECT_GT(between(answered(w.a), ms(320), ms(400)), 20U);
}

}  // namespace kinds_test
}  // namespace picklock::testing
