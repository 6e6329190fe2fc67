#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/redis/getset_timestamp.hpp"
#include "algorithms/redis/set_nx_px.hpp"
#include "faults/clock_offset.hpp"
#include "faults/freeze.hpp"
#include "faults/kill.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run_lab.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace run_test {

Scenario two_clients(Duration ttl = milliseconds(100)) {
  Scenario s;
  s.name = "test";
  SetNxPxOptions lock;
  lock.ttl = ttl;
  s.lock.options = AnyOptions::of(lock);
  ClientSpec a;
  a.name = "a";
  a.hold = Law::constant(milliseconds(50));
  ClientSpec b = a;
  b.name = "b";
  b.start = Law::constant(milliseconds(10));
  s.clients = {a, b};
  return s;
}

TEST(Run, AHistoryHasThePhasesInOrderAndEndsWithAProbe) {
  const auto runner = compile(two_clients());
  const RunResult& r = runner->run(1);
  std::vector<Phase> phases;
  for (const PhaseEvent& p : r.history->phases) phases.push_back(p.phase);
  EXPECT_EQ(phases, (std::vector{Phase::load, Phase::heal, Phase::settle, Phase::probe, Phase::end}));
  EXPECT_EQ(verdict(r, Property::never_free_again), Verdict::holds);
  EXPECT_FALSE(r.cut_off);
}

// a works until 4 s, while the probe waits from 2 s on; b is the last one of the load to end.
TEST(Run, AClientThatEndsLateDoesNotEndTheProbe) {
  Scenario s = two_clients(seconds(30));
  s.phases.load = seconds(1);
  s.clients[0].hold = Law::constant(seconds(4));
  s.clients[1].hold = Law::constant(seconds(1));
  const auto runner = compile(s);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult& r = runner->run(seed);
    EXPECT_EQ(verdict(r, Property::never_free_again), Verdict::holds) << seed;
    EXPECT_EQ(r.history->phases.back().phase, Phase::end) << seed;
    EXPECT_EQ(r.history->operations.back().process, 2) << seed << ": the probe's release is the last";
  }
}

// A sweep over clock rates would otherwise vary two things at once.
TEST(Run, AClockThatRunsWrongDoesNotMoveTheStart) {
  for (const std::int64_t ppm : {-500'000, -100, 0, 333, 1'000'000}) {
    Scenario s = two_clients();
    s.clients[0].start = Law::constant(seconds(1));
    s.clocks.push_back({.node = "a", .offset = {}, .drift_ppm = ppm});
    const auto runner = compile(s);
    const History& h = *runner->run(1).history;
    const auto first =
        std::find_if(h.operations.begin(), h.operations.end(), [](const OperationEvent& e) { return e.process == 0; });
    ASSERT_NE(first, h.operations.end()) << ppm;
    EXPECT_NEAR(static_cast<double>(first->time), 1e9, 3) << ppm;
  }
}

// A plan may set a clock before anything is started.  b, whose clock is 14 ms ahead, takes the lock of the dead a over by that
// clock, so 6 to 14 ms before the stamp by true time: the judge who reads b's clock calls it a takeover, and nothing wrong.
TEST(Run, AClockSetByThePlanBeforeTheStartIsTheJudgesToo) {
  Scenario s = two_clients();
  s.lock.name = "getset-timestamp";
  GetsetTimestampOptions lock;
  lock.timeout = milliseconds(100);
  lock.margin = milliseconds(60);
  s.lock.options = AnyOptions::of(lock);
  s.faults = {fault("kill", "a enters", KillOptions{.node = "a"}),
              fault("clock-offset", "", ClockOffsetOptions{.node = "b", .by = milliseconds(14)})};
  s.faults[1].trigger.at = Law::constant(0);
  const auto runner = compile(s);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult& r = runner->run(seed);
    const auto& grants = r.history->grants;
    const auto takeover = std::find_if(grants.begin(), grants.end(), [](const GrantEvent& e) {
      return e.change == GrantChange::begin && e.hold == 2;
    });
    ASSERT_NE(takeover, grants.end()) << seed;
    EXPECT_LT(takeover->time, milliseconds(160).ns) << seed;  // a's stamp by true time, at the earliest
    EXPECT_NE(verdict(r, Property::wrong_renewal), Verdict::violated) << seed;
    EXPECT_NE(verdict(r, Property::double_grant), Verdict::violated) << seed;
  }
}

// Two of three servers are dead until healing. They elect within a second of it, and the client may pause for a second
// before it connects again.
TEST(Run, AWaiterIsNotForgottenWhileTheServiceElects) {
  Scenario s = two_clients();
  s.clients.resize(1);
  s.faults = {fault("kill", "", KillOptions{.node = "zookeeper1"}),
              fault("kill", "", KillOptions{.node = "zookeeper2"})};
  for (Fault& f : s.faults) f.trigger.at = Law::constant(milliseconds(5).ns);
  s.clients[0].start = Law::constant(milliseconds(90));
  ASSERT_FALSE(set_lock(s, "zookeeper-lock"));
  for (const char* assignment : {"lock.session=600ms", "zookeeper.tick=100ms", "network.request-timeout=200ms",
                                 "phases.load=3s", "phases.settle=1600ms"}) {
    ASSERT_FALSE(set_in_scenario(s, assignment)) << assignment;
  }
  const auto runner = compile(s);
  std::uint64_t waits = 0;  // waits longer than a service without faults allows
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunResult& r = runner->run(seed);
    EXPECT_NE(verdict(r, Property::lost_wake_up), Verdict::violated) << seed;
    waits += verdict(r, Property::lost_wake_up) == Verdict::undecided;
  }
  EXPECT_GT(waits, 0U);
}

// A sweep over a clock's rate varies nothing beside it.  Every client begins when its start was drawn, by true time,
// and whatever two runs draw under one name they draw alike.
TEST(Run, ASweepOverAClocksRateKeepsStartsAndDraws) {
  struct Seen {
    std::map<std::string, std::int64_t> draws;
    std::map<std::int32_t, std::int64_t> starts;  // first operation, by process
    std::uint64_t digest = 0;
  };
  const auto play = [](const char* node, std::int64_t ppm, std::uint64_t seed) {
    Scenario s = two_clients();
    for (ClientSpec& c : s.clients) {
      c.start = Law::uniform(milliseconds(100), milliseconds(900));
      c.rounds = 3;
      c.think = Law::uniform(milliseconds(1), milliseconds(20));
    }
    s.clocks.push_back({.node = node, .offset = {}, .drift_ppm = ppm});
    const auto runner = compile(s);
    const RunResult& r = runner->run(seed, {.draws = true});
    Seen seen;
    seen.digest = r.digest;
    for (const RecordedDraw& d : runner->record().draws) seen.draws[d.name] = d.value;
    for (const OperationEvent& e : r.history->operations) {
      if (e.process < 2) seen.starts.emplace(e.process, e.time);
    }
    return seen;
  };
  for (const char* const node : {"a", "b", "redis"}) {
    std::size_t changed = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Seen right = play(node, 0, seed);
      ASSERT_EQ(right.starts.size(), 2u);
      EXPECT_NEAR(static_cast<double>(right.starts.at(0)), static_cast<double>(right.draws.at("a/start@a#0.1")), 3);
      EXPECT_NEAR(static_cast<double>(right.starts.at(1)), static_cast<double>(right.draws.at("b/start@b#0.1")), 3);
      for (const std::int64_t ppm : {-500'000, -100, 333, 1'000'000}) {
        const Seen wrong = play(node, ppm, seed);
        changed += wrong.digest != right.digest;
        for (const std::int32_t process : {0, 1}) {
          EXPECT_NEAR(static_cast<double>(wrong.starts.at(process)), static_cast<double>(right.starts.at(process)), 3)
              << node << " " << ppm << ", seed " << seed;
        }
        std::size_t common = 0;
        for (const auto& [name, value] : right.draws) {
          const auto found = wrong.draws.find(name);
          if (found == wrong.draws.end()) continue;  // another attempt is made, or one fewer
          ++common;
          EXPECT_EQ(found->second, value) << name;
        }
        EXPECT_GT(2 * common, right.draws.size()) << node << " " << ppm;
      }
    }
    EXPECT_GT(changed, 0u) << "no rate of " << node << " has an effect";
  }
}

TEST(Run, EveryRecordIsNumberedInOrder) {
  Scenario s = two_clients();
  s.faults = {pause("a", "a enters", milliseconds(300))};
  s.clients[0].honours_deadline = true;  // its belief ends before the record of that is written
  const auto runner = compile(s);
  const History& h = *runner->run(3).history;
  const auto ascending = [](const auto& events) {
    for (std::size_t i = 1; i < events.size(); ++i) {
      EXPECT_LT(events[i - 1].index, events[i].index);
      EXPECT_LE(events[i - 1].time, events[i].time);
    }
  };
  ascending(h.operations);
  ascending(h.beliefs);
  ascending(h.grants);
  ascending(h.effects);
  ascending(h.processes);
}

TEST(Run, AProcessNeverInvokesAgainAfterItsInfo) {
  Scenario s = two_clients();
  s.clients[0].rounds = s.clients[1].rounds = 20;
  s.clients[0].abandon_after = microseconds(120);
  const auto runner = compile(s);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<std::int32_t> over;
    for (const OperationEvent& e : runner->run(seed).history->operations) {
      EXPECT_EQ(std::count(over.begin(), over.end(), e.process), 0) << "process " << e.process;
      if (e.type == OperationType::info) over.push_back(e.process);
    }
    EXPECT_FALSE(over.empty());
  }
}

TEST(Run, ABeliefEndsAtTheDeadlineEvenIfTheProcessSleepsThroughIt) {
  Scenario s = two_clients();
  s.faults = {pause("a", "a enters", milliseconds(500))};
  s.clients[0].honours_deadline = true;
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  const BeliefEvent* end = nullptr;
  for (const BeliefEvent& b : r.history->beliefs) {
    if (b.hold == 1 && b.end != BeliefEnd::none) end = &b;
  }
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->end, BeliefEnd::deadline);
  EXPECT_NEAR(static_cast<double>(end->time) / 1e6, 100.0, 1.0);
  EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::holds) << "by belief; its write still comes too late";
}

TEST(Run, AKilledClientBelievesNoMore) {
  Scenario s = two_clients();
  KillOptions k;
  k.node = "a";
  s.faults = {fault("kill", "a enters", k)};
  s.faults[0].trigger.offset = milliseconds(20);  // b waits by then
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  EXPECT_EQ(r.executed.kills, 1);
  ASSERT_GE(r.history->beliefs.size(), 2u);
  EXPECT_EQ(r.history->beliefs[1].end, BeliefEnd::died);
  EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::holds);
}

TEST(Run, WhatStruckIsMeasuredAndHeldAgainstTheLocksAssumptions) {
  Scenario s = two_clients();
  s.faults = {pause("a", "before a writes", milliseconds(250))};
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  EXPECT_EQ(r.executed.pause_ns, milliseconds(250).ns);
  bool broken = false;
  for (const Assessment& a : r.assumptions)
    broken |= a.assumption.kind == AssumptionKind::pauses_shorter_than && !a.met;
  EXPECT_TRUE(broken);
}

TEST(Run, WorkOnOnePromiseIsWhatALeaseMustCover) {
  Scenario s = two_clients();
  s.clients[0].hold = Law::constant(milliseconds(140));  // longer than the lease, and nothing else is wrong
  s.faults = {pause("b", "b enters", milliseconds(300))};
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  EXPECT_NEAR(static_cast<double>(r.executed.hold_ns) / 1e6, 143, 3) << "b's pause is no work";
  for (const Assessment& a : r.assumptions) {
    if (a.assumption.kind == AssumptionKind::holds_shorter_than) {
      EXPECT_FALSE(a.met);
    }
  }
}

// The second request of the connection waits behind WAIT when the run ends; it is memory of that run.
TEST(Run, MayEndWhileARequestWaitsBehindAnother) {
  Scenario s = two_clients(milliseconds(1));
  auto& lock = s.lock.options.as<SetNxPxOptions>();
  lock.wait_replicas = 2;
  lock.wait_timeout = seconds(33);
  s.clients[0].rounds = s.clients[1].rounds = 3;
  s.clients[0].abandon_after = microseconds(1100);
  s.event_budget = 1000;
  const auto runner = compile(s);
  const std::uint64_t digest = runner->run(1).digest;
  EXPECT_NE(runner->run(2).digest, digest);
  EXPECT_EQ(runner->run(1).digest, digest);
}

TEST(Run, AnExhaustedBudgetIsUndecided) {
  Scenario s = two_clients();
  s.event_budget = 30;
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  EXPECT_TRUE(r.cut_off);
  EXPECT_NE(verdict(r, Property::mutual_exclusion), Verdict::holds);
}

TEST(Run, ProblemsSayWhereAndWhatWasMeant) {
  Scenario s = two_clients();
  s.lock.name = "set-nx-pz";
  s.lock.options = {};
  auto problems = problems_of(s);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].where, "lock.name");
  EXPECT_EQ(problems[0].nearest, "set-nx-px");

  s = two_clients();
  s.clients[1].name = "a";
  EXPECT_EQ(problems_of(s).at(0).where, "clients[1].name");
  s = two_clients();
  s.clocks = {{"rediz", {}, 0}};
  EXPECT_EQ(problems_of(s).at(0).nearest, "redis");
  s = two_clients();
  s.expect["mutual-exclusoin"] = {};
  EXPECT_EQ(problems_of(s).at(0).nearest, "mutual-exclusion");
  s = two_clients();
  s.faults = {pause("c", "a enters", milliseconds(1))};
  EXPECT_EQ(problems_of(s).at(0).where, "fault[0].node");
}

}  // namespace run_test
}  // namespace picklock
