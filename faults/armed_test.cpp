// Plans as a whole: when faults are injected, how they nest and heal, what they leave alone.
#include "faults/armed.hpp"

#include <algorithm>

#include "faults/fault_kinds.hpp"
#include "faults/pause.hpp"
#include "faults/ping_lab.hpp"

namespace picklock::testing {
namespace {

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

std::vector<TrueTime> injected(const PingLab& w) {
  std::vector<TrueTime> times;
  for (const FaultInstant& i : w.executed().instants) {
    if (i.began) times.push_back(i.time);
  }
  return times;
}
std::vector<TrueTime> at(std::initializer_list<Duration> instants) {
  std::vector<TrueTime> times;
  for (const Duration d : instants) times.push_back(TrueTime{} + d);
  return times;
}

// --- triggers

TEST(Triggers, ByTimeAndAtOnceWithout) {
  PingLab w;
  w.run("pause node=a at=100ms lasts=1ms\npause node=a lasts=1ms", ms(200));
  EXPECT_EQ(injected(w), at({ms(0), ms(100)}));
}

TEST(Triggers, ByEventWithCountAndOffset) {
  // a begins a round every 3 ms: at 0, 3, 6, …
  PingLab w;
  w.run("pause node=a on=\"a acquires\" lasts=1ms", ms(100));
  EXPECT_EQ(injected(w), at({ms(0)}));
  w.run("pause node=a on=\"a acquires\" count=5 lasts=1ms", ms(100));
  EXPECT_EQ(injected(w), at({ms(12)}));
  w.run("pause node=a on=\"a acquires\" count=5 offset=500us lasts=1ms", ms(100));
  EXPECT_EQ(injected(w), at({ms(12) + microseconds(500)}));
}

TEST(Triggers, OneNodesEventCanStrikeAnother) {
  PingLab w;
  w.run("pause node=server on=\"a acquires\" count=5 lasts=10ms", ms(100));
  EXPECT_EQ(injected(w), at({ms(12)}));
  EXPECT_EQ(between(answered(w.b), ms(13), ms(23)), 0U);
}

TEST(Triggers, BeforeAVerbItIsNotSentAndAfterItNotSeen) {
  PingLab w;
  w.run("pause node=a on=\"before a writes\" count=5 lasts=50ms\nkill node=b stays=true", ms(60));
  EXPECT_EQ(w.server.logged(w.world), 4U) << "stopped between the decision and the request";
  w.run_until(ms(64));
  EXPECT_EQ(w.server.logged(w.world), 5U);

  w.run("pause node=a on=\"after a writes\" count=5 lasts=50ms\nkill node=b stays=true", ms(60));
  EXPECT_EQ(w.server.logged(w.world), 5U);
  EXPECT_EQ(w.a.answers.size(), 4U);
  w.run_until(ms(64));
  EXPECT_EQ(w.a.answers.size(), 5U);
}

TEST(Laws, AreDrawnAnewForEachSeedAndDependOnTheirPlaceAlone) {
  std::vector<TrueTime> instants;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PingLab w;
    w.run("pause node=a at=10ms..50ms lasts=5ms..10ms", ms(100), seed);
    ASSERT_EQ(injected(w).size(), 1U);
    const Duration at = injected(w).front() - TrueTime{};
    EXPECT_TRUE(at >= ms(10) && at <= ms(50)) << to_text(at);
    EXPECT_EQ(between(w.a.ticks, at + nanoseconds(1), at + ms(5)), 0U);
    EXPECT_GT(between(w.a.ticks, at + ms(10), at + ms(20)), 5U);
    PingLab other;
    other.run("pause node=a at=10ms..50ms lasts=1ms\nkill node=b at=1ms..90ms", ms(100), seed);
    const std::vector<TrueTime> both = injected(other);
    EXPECT_EQ(std::count(both.begin(), both.end(), injected(w).front()), 1);
    instants.push_back(injected(w).front());
  }
  std::sort(instants.begin(), instants.end());
  EXPECT_EQ(std::adjacent_find(instants.begin(), instants.end()), instants.end());
}

TEST(Triggers, InjectIntoTheVictimInTheMiddleOfItsOwnTask) {
  for (const char* how : {"kill node=a restart-after=20ms", "power-loss node=a restart-after=20ms",
                          "freeze node=a lasts=20ms", "pause node=a lasts=20ms"}) {
    for (const char* when : {"on=\"a acquires\"", "on=\"before a writes\"", "on=\"after a writes\""}) {
      SCOPED_TRACE(std::string(how) + when);
      PingLab w;
      w.run(std::string(how) + " count=5 " + when, ms(300));
      ASSERT_EQ(injected(w).size(), 1U);
      const Duration first = injected(w).front() - TrueTime{};
      EXPECT_EQ(between(answered(w.a), first, first + ms(20)), 0U);
      EXPECT_EQ(between(w.a.ticks, first + nanoseconds(1), first + ms(20)), 0U);
      EXPECT_GT(between(w.a.ticks, first + ms(20), ms(300)), 200U);
      EXPECT_EQ(w.world.tasks.alive(), 5U);
    }
  }
}

TEST(Triggers, AProcessMayKillAnotherOrAllOfThem) {
  PingLab w;
  w.run(
      "kill node=server on=\"before a writes\" count=5 restart-after=20ms\n"
      "kill node=b on=\"before a writes\" count=5 restart-after=20ms\n"
      "kill node=a on=\"before a writes\" count=5 restart-after=20ms\n"
      "restart node=a on=\"before a writes\" count=5\n",
      ms(400));
  EXPECT_EQ(w.a.boots, 2U);
  EXPECT_EQ(w.b.boots, 2U);
  EXPECT_EQ(w.executed().kills, 3);
  EXPECT_EQ(w.executed().restarts, 3);
  EXPECT_EQ(between(w.a.ticks, ms(12) + nanoseconds(1), ms(32)), 19U) << "a was restarted at the instant of its death";
}

// --- nesting

TEST(Nesting, OverlappingPausesEndWithTheLast) {
  PingLab w;
  w.run(
      "pause node=a at=100ms lasts=100ms\npause node=a at=150ms lasts=20ms\n"
      "pause node=a at=180ms lasts=100ms",
      ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(100), ms(280)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(280), ms(400)), 110U);
  EXPECT_EQ(w.executed().pauses, 1);
  EXPECT_EQ(w.executed().longest_pause, ms(180));
}

TEST(Nesting, OverlappingPausesOfOneTaskEndWithTheLast) {
  PingLab w;
  w.run(
      "pause node=a task=renewal at=100ms lasts=100ms\n"
      "pause node=a task=renewal at=150ms lasts=100ms",
      ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(101), ms(250)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(250), ms(400)), 140U);
}

TEST(Nesting, PauseWithinFreezeStopsUntilBothAreOver) {
  PingLab w;
  w.run("freeze node=a at=100ms lasts=50ms\npause node=a at=120ms lasts=100ms", ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(101), ms(220)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(220), ms(400)), 100U);
  EXPECT_EQ(w.executed().longest_stop, ms(120));
}

TEST(Nesting, OverlappingDeathsEndWithTheLast) {
  PingLab w;
  w.run("kill node=a at=100ms restart-after=100ms\npower-loss node=a at=150ms restart-after=100ms", ms(400));
  EXPECT_EQ(w.a.boots, 2U);
  EXPECT_EQ(between(w.a.ticks, ms(100), ms(250)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(250), ms(400)), 140U);
}

TEST(Nesting, WhatDiesIsNoLongerPaused) {
  PingLab w;
  w.run("pause node=a at=100ms lasts=200ms\nkill node=a at=150ms restart-after=50ms", ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(100), ms(200)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(200), ms(300)), 95U);
  EXPECT_EQ(w.executed().longest_pause, ms(50));
  // The end of the first pause does not end one of the new process.
  w.run(
      "pause node=a at=100ms lasts=200ms\nkill node=a at=150ms restart-after=50ms\n"
      "pause node=a at=250ms lasts=100ms",
      ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(250), ms(350)), 0U);
}

TEST(Nesting, APausedTaskOfADeadProcessIsNotThatOfTheNextOne) {
  PingLab w;
  w.run(
      "pause node=a task=renewal at=100ms lasts=200ms\nkill node=a at=150ms restart-after=50ms\n"
      "pause node=a task=renewal at=250ms lasts=100ms",
      ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(100) + nanoseconds(1), ms(200)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(200), ms(250)), 45U);
  EXPECT_EQ(between(w.a.ticks, ms(250) + nanoseconds(1), ms(350)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(350), ms(400)), 45U);
}

TEST(Nesting, TheDeadCannotBePaused) {
  PingLab w;
  w.run(
      "kill node=a at=100ms restart-after=100ms\npause node=a at=150ms lasts=100ms\n"
      "pause node=a at=220ms lasts=100ms",
      ms(400));
  EXPECT_EQ(between(w.a.ticks, ms(201), ms(220)), 19U);
  EXPECT_EQ(between(w.a.ticks, ms(220), ms(320)), 0U) << "the missed pause must not end this one";
  const auto instants = w.executed().instants;
  ASSERT_GE(instants.size(), 2U);
  EXPECT_EQ(instants[1].injection, Injection::missed);
  EXPECT_EQ(w.executed().injected[index_of(*find_fault_kind("pause"))], 1);
}

TEST(Nesting, OverlappingPartitionsEndEachByItself) {
  PingLab w;
  w.run("partition between=a at=100ms lasts=100ms\npartition between=b at=150ms lasts=10s", ms(800));
  EXPECT_GT(between(answered(w.a), ms(500), ms(800)), 60U);
  EXPECT_EQ(between(answered(w.b), ms(152), ms(800)), 0U);
}

// --- healing

TEST(Heal, LiftsEverythingInForce) {
  PingLab w;
  w.run(
      "pause node=a\nfreeze node=b at=10ms\nkill node=server at=20ms\npartition between=a at=30ms\n"
      "hold at=40ms\nloss share-ppm=1000000 at=50ms\ndelay by=10s at=60ms\n"
      "clock-drift node=a ppm=100 at=70ms\nslow-disk node=server by=1s at=80ms\n"
      "pause node=b task=renewal at=5ms",
      ms(200));
  for (std::size_t i = 0; i < w.armed.size(); ++i) EXPECT_TRUE(w.armed.in_force(i)) << i;
  w.armed.heal(w.world);
  for (std::size_t i = 0; i < w.armed.size(); ++i) EXPECT_FALSE(w.armed.in_force(i)) << i;
  w.run_until(seconds(5));
  EXPECT_GT(between(answered(w.a), seconds(3), seconds(5)), 600U);
  EXPECT_GT(between(answered(w.b), seconds(3), seconds(5)), 600U);
  EXPECT_GT(between(w.b.ticks, seconds(3), seconds(5)), 1'990U);
  EXPECT_EQ(w.world.nodes.clock(PingLab::kA).ppm(), 0);
}

TEST(Heal, RestartsTheDeadUnlessTheyStay) {
  PingLab w;
  w.run("kill node=a at=10ms\nkill node=b at=10ms stays=true\nkill node=b at=20ms restart-after=30ms", ms(100));
  w.world.faults.kill(PingLab::kServer);  // a kill outside the plan
  w.armed.heal(w.world);
  EXPECT_TRUE(w.world.nodes.alive(PingLab::kA));
  EXPECT_FALSE(w.world.nodes.alive(PingLab::kB));
  EXPECT_TRUE(w.world.nodes.alive(PingLab::kServer));
}

TEST(Heal, ADeathThatStaysMayEndByItself) {
  PingLab w;
  w.run("kill node=a at=50ms restart-after=100ms stays=true\nkill node=b at=50ms stays=true", ms(100));
  w.armed.heal(w.world);
  EXPECT_FALSE(w.world.nodes.alive(PingLab::kA));
  w.run_until(ms(300));
  EXPECT_EQ(between(w.a.ticks, ms(50), ms(150)), 0U);
  EXPECT_GT(between(w.a.ticks, ms(150), ms(300)), 140U);
  EXPECT_FALSE(w.world.nodes.alive(PingLab::kB));
}

TEST(Heal, ADeathThatStayedAndIsOverKeepsNobodyDown) {
  PingLab w;
  w.run("kill node=a at=10ms restart-after=10ms stays=true\nkill node=a at=50ms", ms(100));
  w.armed.heal(w.world);
  EXPECT_TRUE(w.world.nodes.alive(PingLab::kA));
}

TEST(Heal, RestartsWhoDiesAtThatVeryInstant) {
  PingLab w;
  w.run("kill node=a on=\"a acquires\" count=5", ms(12) - nanoseconds(1));
  // The load ends in the middle of the instant: the process is doomed, but not dead yet.
  while (injected(w).empty()) w.world.run({.events = w.world.events() + 1});
  ASSERT_TRUE(w.world.nodes.alive(PingLab::kA));
  w.armed.heal(w.world);
  w.run_until(ms(100));
  EXPECT_EQ(w.a.boots, 2U);
  EXPECT_TRUE(w.world.nodes.alive(PingLab::kA));
}

TEST(Heal, NothingStrikesAfterwards) {
  PingLab w;
  w.run(
      "pause node=a at=200ms\nkill node=b on=\"b acquires\" count=50\n"
      "kill node=server on=\"a acquires\" offset=150ms",
      ms(100));
  w.armed.heal(w.world);
  w.run_until(ms(400));
  EXPECT_TRUE(injected(w).empty());
  EXPECT_GT(between(answered(w.a), ms(300), ms(400)), 30U);
}

TEST(Heal, EndsNothingTwice) {
  PingLab w;
  w.run("clock-drift node=a ppm=100 at=10ms lasts=200ms\nkill node=b at=10ms restart-after=200ms", ms(100));
  w.armed.heal(w.world);
  w.run_until(ms(150));
  w.world.faults.kill(PingLab::kB);
  w.run_until(ms(400));
  EXPECT_EQ(w.world.nodes.clock(PingLab::kA).ppm(), 0);
  EXPECT_FALSE(w.world.nodes.alive(PingLab::kB)) << "the end of the healed death must not revive it";
}

// --- errors

PlanError error_of(std::string_view line) {
  Fault fault;
  if (const auto misread = parse_fault(line, fault)) return *misread;
  ArmedPlan armed;
  return armed.compile({fault}, PingLab::kNodes).value_or(PlanError{});
}

TEST(PlanErrors, NameTheFieldAndTheNearestValidThing) {
  EXPECT_EQ(error_of("pasue node=a").nearest, "pause");
  EXPECT_EQ(error_of("pasue node=a").field, "kind");
  EXPECT_EQ(error_of("pause nod=a").nearest, "node");
  EXPECT_EQ(error_of("pause node=sevrer").nearest, "server");
  EXPECT_EQ(error_of("pause node=sevrer").field, "node");
  EXPECT_EQ(error_of("pause node=sevrer").expected, "a node (server, a, b)");
  EXPECT_EQ(error_of("pause").field, "node");
  EXPECT_EQ(error_of("freeze node=a thaw=lag").nearest, "lags");
  EXPECT_EQ(error_of("hold from=\"a sever\"").nearest, "a server");
  EXPECT_EQ(error_of("partition between=\"a | sever\"").nearest, "a | server");
  EXPECT_EQ(error_of("pause node=a on=\"a entres\"").nearest, "a enters");
  EXPECT_EQ(error_of("pause node=a on=\"sever enters\"").nearest, "server enters");
  EXPECT_EQ(error_of("pause node=a on=\"bfore a writes\"").nearest, "before a writes");
  EXPECT_EQ(error_of("pause node=a on=\"after a wrtes\"").nearest, "after a writes");
  EXPECT_EQ(error_of("pause node=a on=\"after a entres\"").field, "on");
}

TEST(PlanErrors, RefuseATriggerThatCannotFire) {
  EXPECT_EQ(error_of("pause node=a on=\"a writes\"").nearest, "before a writes");
  EXPECT_EQ(error_of("pause node=a on=\"a set\"").nearest, "before a set");
  EXPECT_EQ(error_of("pause node=a on=\"before a enters\"").nearest, "a enters");
  EXPECT_EQ(error_of("pause node=a on=enters").field, "on");
  EXPECT_EQ(error_of("pause node=a on=\"a enters now or never\"").field, "on");
}

TEST(PlanErrors, RefuseWhatDoesNotBelongTogether) {
  EXPECT_EQ(error_of("pause node=a on=\"a enters\" at=1s").field, "at");
  EXPECT_EQ(error_of("pause node=a at=1s count=2").field, "count");
  EXPECT_EQ(error_of("pause node=a at=1s offset=2s").field, "offset");
  EXPECT_EQ(error_of("partition between=\"a | a\"").field, "between");
  EXPECT_EQ(error_of("partition").field, "between");
  EXPECT_EQ(error_of("partition shape=one-way between=\"a | b | server\"").field, "between");
}

TEST(PlanErrors, RefuseNumbersOutOfBounds) {
  EXPECT_EQ(error_of("pause node=a lasts=-1s").field, "lasts");
  EXPECT_EQ(error_of("pause node=a at=-1s").field, "at");
  EXPECT_EQ(error_of("pause node=a on=\"a enters\" count=0").field, "count");
  EXPECT_EQ(error_of("loss share-ppm=1000001").nearest, "1000000");
  EXPECT_EQ(error_of("clock-drift node=a ppm=-1000000").nearest, "-900000");
  EXPECT_EQ(error_of("delay by=-1ms..1ms").field, "by");
}

TEST(PlanErrors, SayWhichFault) {
  FaultPlan plan(3, Fault{.kind = "pause", .options = AnyOptions::of(PauseOptions{.node = "a"})});
  plan[2].options = AnyOptions::of(PauseOptions{.node = "sever"});
  ArmedPlan armed;
  const auto error = armed.compile(plan, PingLab::kNodes);
  ASSERT_TRUE(error);
  EXPECT_EQ(to_text(*error), "fault 3: node: found 'sever', expected a node (server, a, b); perhaps 'server'?");
  EXPECT_EQ(armed.size(), 0U);
}

TEST(PlanErrors, AGoodPlanHasNone) { EXPECT_EQ(error_of("pause node=a"), PlanError{}); }

// --- determinism

constexpr std::string_view kStorm =
    "pause node=a on=\"a acquires\" count=7 lasts=20ms\nloss share-ppm=100000\n"
    "delay from=b by=1ms..5ms at=20ms lasts=50ms\nkill node=server at=100ms restart-after=30ms\n"
    "clock-drift node=b ppm=-200\nfreeze node=b on=\"after b writes\" count=9 offset=1ms "
    "lasts=15ms\n"
    "power-loss node=a on=\"before a writes\" count=40 restart-after=50ms\n"
    "partition shape=one-way between=\"server | a\" at=300ms lasts=100ms";

TEST(Determinism, SamePlanSameSeedSameDigestInAFreshAndInAUsedWorld) {
  const Law latency = Law::uniform(microseconds(100), milliseconds(1));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PingLab fresh;
    fresh.run(kStorm, seconds(2), seed, latency);
    const std::uint64_t digest = fresh.world.trace.digest();
    PingLab used;
    used.run("kill node=a at=3ms\nslow-disk node=server", ms(50), seed + 100, latency);
    used.run(kStorm, seconds(2), seed, latency);
    EXPECT_EQ(used.world.trace.digest(), digest);
    EXPECT_EQ(used.executed(), fresh.executed());
    used.run(kStorm, seconds(2), seed + 1, latency);
    EXPECT_NE(used.world.trace.digest(), digest);
  }
}

TEST(Determinism, ArmingAgainAllocatesNothing) {
  PingLab w;
  w.run(kStorm, seconds(2));
  const std::size_t after_one = w.world.bytes_reserved();
  for (int i = 0; i < 5; ++i) {
    w.reset();
    w.start();
    w.run_until(seconds(2));
  }
  EXPECT_EQ(w.world.bytes_reserved(), after_one);
}

std::vector<std::string> draws_named(const PingLab& w, std::string_view who) {
  std::vector<std::string> lines;
  for (const DrawRecord& r : w.world.draws.logged()) {
    const std::string name = w.world.tasks.draw_name(r);
    if (name.find(who) != std::string::npos) lines.push_back(name + " = " + std::to_string(r.value));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

TEST(Determinism, RemovingAFaultLeavesAllOtherDrawsAsTheyWere) {
  const Law latency = Law::uniform(microseconds(100), milliseconds(1));
  const std::string others = "pause node=b on=\"b acquires\" count=3 lasts=5ms\n";
  PingLab with, without;
  with.world.draws.log(true);
  without.world.draws.log(true);
  with.run(others + "kill node=a at=100ms restart-after=100ms\nloss from=a share-ppm=300000\n", ms(400), 5, latency);
  without.run(others, ms(400), 5, latency);
  ASSERT_NE(with.world.trace.digest(), without.world.trace.digest());
  const auto b_with = draws_named(with, "@b#"), b_without = draws_named(without, "@b#");
  ASSERT_GT(b_with.size(), 200U);
  EXPECT_EQ(b_with, b_without) << "b and a share a server, and nothing else";
  // Draws that a made in both runs have the same values in both.
  const auto a_with = draws_named(with, "@a#"), a_without = draws_named(without, "@a#");
  std::vector<std::string> common;
  std::set_intersection(a_with.begin(), a_with.end(), a_without.begin(), a_without.end(), std::back_inserter(common));
  std::size_t same_name = 0;
  for (const std::string& line : a_with) {
    const std::string name = line.substr(0, line.find('=') + 1);
    same_name += std::any_of(a_without.begin(), a_without.end(),
                             [&](const std::string& other) { return other.starts_with(name); });
  }
  EXPECT_EQ(common.size(), same_name);
  EXPECT_GT(same_name, 5U);
}

}  // namespace
}  // namespace picklock::testing
