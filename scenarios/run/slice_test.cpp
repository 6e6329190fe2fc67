#include "scenarios/run/slice.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "faults/journal.hpp"
#include "scenarios/recording/journal.hpp"
#include "scenarios/run/run_lab.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

Scenario paused_holder() { return load_scenario("paused_holder").scenario; }

// Beside the holder and its rival: a client that takes no part until it is all over, and faults that hit it and
// the rival later.
Scenario crowded() {
  Scenario s = paused_holder();
  ClientSpec late = s.clients[1];
  late.name = "late";
  late.start = Law::constant(milliseconds(130));
  s.clients.push_back(late);
  s.faults.push_back(pause("b", "before b writes", milliseconds(3)));
  s.faults.push_back(pause("late", "late acquires", milliseconds(2)));
  return s;
}

struct Sliced {
  std::unique_ptr<Runner> runner;
  RunResult result;
  Slice slice;
  const std::vector<TraceRecord>& trace() { return runner->record().full_trace(); }
  std::size_t count(TraceKind kind, bool inside) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < trace().size(); ++i) n += trace()[i].kind == kind && slice.contains[i] == inside;
    return n;
  }
};

Sliced sliced(const Scenario& s, std::uint64_t seed, Property property = Property::mutual_exclusion) {
  Sliced out;
  out.runner = compile(s);
  out.result = out.runner->run(seed, {.full_trace = true, .draws = true});
  const Finding& v = of(out.result.findings, property);
  EXPECT_EQ(v.verdict, Verdict::violated);
  out.slice = slice_of(out.runner->record(), v);
  return out;
}

TEST(Slice, OfThePausedHolderHasThePauseAndTheTwoGrants) {
  Sliced s = sliced(paused_holder(), 1);
  EXPECT_EQ(s.count(trace::process_paused, true), 1u);
  EXPECT_EQ(s.count(trace::fault_began, true), 1u);
  EXPECT_EQ(s.count(trace::belief_begins, true), 2u);
  std::size_t grants = 0;
  for (const GrantEvent& g : s.result.history->grants) {
    grants += g.change == GrantChange::begin && s.slice.contains[s.slice.record_of[g.index]];
  }
  EXPECT_EQ(grants, 2u);
  EXPECT_LT(s.slice.size, s.trace().size() * 2 / 3) << "what came later is not in it";
  EXPECT_EQ(s.count(trace::process_continued, true), 0u);
}

TEST(Slice, IsClosedUnderCausesAndNothingPrecedesItself) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Sliced s = sliced(crowded(), seed);
    for (const EventEdge& e : s.slice.causes.graph.edges) {
      EXPECT_TRUE(!s.slice.contains[e.to] || s.slice.contains[e.from]);
    }
    EXPECT_TRUE(shortest_cycle(s.slice.causes.graph).empty());
  }
}

TEST(Slice, EveryArrivalHasItsSending) {
  Sliced s = sliced(crowded(), 3);
  std::size_t arrivals = 0;
  for (const TraceRecord& r : s.trace()) arrivals += r.kind == trace::segment_arrived;
  EXPECT_EQ(s.slice.causes.messages.size(), arrivals);
  for (const MessageOfTrace& m : s.slice.causes.messages) {
    const TraceRecord &sent = s.trace()[m.sent], &arrived = s.trace()[m.arrived];
    EXPECT_EQ(sent.a, arrived.a);
    EXPECT_EQ(sent.b, arrived.b);
    EXPECT_NE(sent.node, arrived.node);
    EXPECT_LT(m.sent, m.arrived);
  }
}

TEST(Slice, WithoutAFaultOutsideOfItTheVerdictIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Scenario scenario = crowded();
    Sliced s = sliced(scenario, seed);
    std::vector<bool> inside(scenario.faults.size());
    for (std::size_t i = 0; i < s.trace().size(); ++i) {
      if (s.trace()[i].kind == trace::fault_began && s.slice.contains[i]) inside[s.trace()[i].a] = true;
    }
    EXPECT_EQ(inside, (std::vector<bool>{true, false, false}));
    for (std::size_t f = 0; f < inside.size(); ++f) {
      Scenario without = scenario;
      without.faults.erase(without.faults.begin() + static_cast<std::ptrdiff_t>(f));
      const Verdict verdict = of(compile(without)->run(seed).findings, Property::mutual_exclusion).verdict;
      EXPECT_EQ(verdict == Verdict::violated, !inside[f]) << "fault " << f << ", seed " << seed;
    }
  }
}

// A message that takes 90 s is as good as not sent. Sendings and draws of latencies correspond, as no rule of the
// network is in force and nothing is lost.
TEST(Slice, WithoutAMessageOutsideOfItTheVerdictIsTheSame) {
  const Scenario scenario = crowded();
  Sliced s = sliced(scenario, 1);
  std::vector<std::string> latencies;
  for (const RecordedDraw& d : s.runner->record().draws) {
    if (d.purpose == Purpose::latency) latencies.push_back(d.name);
  }
  std::vector<std::string> outside;
  std::size_t sendings = 0;
  for (std::size_t i = 0; i < s.trace().size(); ++i) {
    if (s.trace()[i].kind != trace::segment_sent) continue;
    if (!s.slice.contains[i] && sendings < latencies.size()) outside.push_back(latencies[sendings]);
    ++sendings;
  }
  ASSERT_EQ(sendings, latencies.size());
  EXPECT_GT(outside.size(), 10u);
  for (const std::string& name : outside) {
    Scenario without = scenario;
    without.overrides.push_back({name, seconds(90).ns});
    const RunResult again = compile(without)->run(1);
    EXPECT_EQ(of(again.findings, Property::mutual_exclusion).verdict, Verdict::violated) << name;
  }
}

TEST(Slice, OfALostUpdateReachesTheWriteThatLostIt) {
  Sliced s = sliced(paused_holder(), 1, Property::lost_update);
  EXPECT_EQ(s.count(trace::process_continued, true), 1u) << "a went on, and wrote";
  EXPECT_EQ(s.count(trace::process_paused, true), 1u);
}

// --- what precedes what, on traces written by hand

TraceRecord record(TraceKind kind, std::uint16_t node, std::uint32_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
  static std::int64_t time = 0;
  return {++time, kind, node, a, b, c};
}

bool precedes(const CausalGraph& g, EventId from, EventId to) {
  const std::vector<EventId> end = {to};
  return causes_of(g.graph, end)[from];
}

TEST(CausalGraph, WhatArrivesForAStoppedProcessIsNewsOnlyWhenItGoesOn) {
  using namespace trace;
  const std::vector<TraceRecord> t = {
      record(connection_opened, 1, 7, 2),
      record(segment_sent, 1, 7, 99, 5),
      record(process_paused, 2),
      record(segment_arrived, 2, 7, 99, 2),
      record(clock_step, 2),
      record(process_continued, 2),
  };
  const CausalGraph g = causal_graph(t, 3);
  EXPECT_TRUE(precedes(g, 1, 3));
  EXPECT_FALSE(precedes(g, 3, 4));
  EXPECT_TRUE(precedes(g, 3, 5));
}

TEST(CausalGraph, ThatNoAnswerComesIsNewsToo) {
  using namespace trace;
  const std::vector<TraceRecord> t = {
      record(connection_opened, 1, 7, 2), record(segment_sent, 1, 7, 99, 5),
      record(process_paused, 2),          record(mark_passed, 1),
      record(process_paused, 3),          record(mark_passed, 1),
  };
  const CausalGraph g = causal_graph(t, 4);
  EXPECT_TRUE(precedes(g, 2, 3)) << "the process that should answer is stopped";
  EXPECT_FALSE(precedes(g, 4, 5)) << "no process waits for that one";
}

TEST(CausalGraph, ARuleMattersToWhatIsLostWhileItIsInForce) {
  using namespace trace;
  const std::vector<TraceRecord> t = {
      record(connection_opened, 1, 7, 2), record(rule_changed, 0, 1, 1), record(segment_sent, 1, 7, 99, 5),
      record(segment_lost, 1, 7, 0),      record(rule_changed, 0, 1, 0), record(segment_lost, 1, 7, 1),
  };
  const CausalGraph g = causal_graph(t, 3);
  EXPECT_TRUE(precedes(g, 1, 3));
  EXPECT_TRUE(precedes(g, 2, 3));
  const auto into_last = std::count_if(g.graph.edges.begin(), g.graph.edges.end(), [](const EventEdge& e) {
    return e.to == 5 && e.reason == static_cast<std::uint8_t>(Because::rule);
  });
  EXPECT_EQ(into_last, 0);
}

}  // namespace
}  // namespace picklock
