#include "checker/properties/mutual_exclusion.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace mutual_exclusion_test {

constexpr std::int64_t kMs = 1'000'000;

Finding judged(const History& history, const JudgeOptions& options = {}) {
  return finding_on(Property::mutual_exclusion, history, options);
}

// a |-----------------|
// b          |-------------|
TEST(MutualExclusion, OverlapIsTheTimeInWhichBothBelieve) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 10 * kMs, 160 * kMs);
  h.believes(b, 103 * kMs, 200 * kMs);
  const History history = h.build();
  const Finding v = judged(history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 57 * kMs);
  EXPECT_EQ(v.beside, 57 * kMs);
  EXPECT_EQ(v.witness.all_holds()[0], a);
  EXPECT_EQ(v.witness.all_holds()[1], b);
  EXPECT_EQ(v.witness.event_count, 4);
  EXPECT_EQ(explain(v, history),
            "a (hold 1) and b (hold 2) both believed that they held L for 57.0 ms (from 103.0 ms "
            "to 160.0 ms); the processes ran at the same time for 57.0 ms");
}

TEST(MutualExclusion, AHolderThatTheServiceNeverNamedIsToldSo) {
  const auto told_of = [](std::int64_t named_at) {  // 0: never
    ScriptedHistory h;
    const HoldId a = h.hold("a"), b = h.hold("b");
    h.granted(a, 5 * kMs, 500 * kMs);
    if (named_at != 0) h.granted(b, named_at * kMs, 500 * kMs);
    h.believes(a, 10 * kMs, 160 * kMs);
    h.believes(b, 103 * kMs, 200 * kMs);
    const History history = h.build();
    return explain(judged(history), history);
  };
  const std::string never = "; b believed that it held L although the service never named it";
  const auto says = [](const std::string& told, const std::string& what) {
    return told.find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(told_of(0), never + " (its acquire returned all the same)")) << told_of(0);
  EXPECT_TRUE(says(told_of(300), never + " in that time (its acquire returned all the same)")) << told_of(300);
  for (const std::int64_t named_at : {100, 150}) EXPECT_FALSE(says(told_of(named_at), never)) << told_of(named_at);
  EXPECT_FALSE(says(told_of(0), "; a believed")) << told_of(0);
}

// a |--------|
// b          |--------|
TEST(MutualExclusion, IntervalsAreHalfOpen) {
  for (const bool first_recorded_last : {false, true}) {
    ScriptedHistory h;
    const HoldId a = h.hold("a"), b = h.hold("b");
    h.acquires(b, 2, 10);
    if (first_recorded_last) h.believes(b, 10, 20);
    h.believes(a, 0, 10);
    if (!first_recorded_last) h.believes(b, 10, 20);
    EXPECT_EQ(judged(h.build()).verdict, Verdict::holds);
  }
}

TEST(MutualExclusion, ZeroLengthNeverCounts) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 0, 10);
  h.believes(b, 5, 5);
  EXPECT_EQ(judged(h.build()).verdict, Verdict::holds);
}

// a |-----====stopped=====---|
// b             |------------------|
TEST(MutualExclusion, PauseDoesNotEndABeliefButTheProcessIsNotAwake) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 0, 160 * kMs);
  h.process("a", 50 * kMs, ProcessChange::stopped);
  h.believes(b, 100 * kMs, 200 * kMs);
  h.process("a", 150 * kMs, ProcessChange::continued);
  const History history = h.build();
  const Finding v = judged(history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 60 * kMs);
  EXPECT_EQ(v.beside, 10 * kMs);
  EXPECT_EQ(explain(v, history),
            "a (hold 1) and b (hold 2) both believed that they held L for 60.0 ms (from 100.0 ms "
            "to 160.0 ms); a was paused for 50.0 ms of it; the processes ran at the same time "
            "for 10.0 ms");
}

// a |---=====stopped===========|
// b         |-----------|
TEST(MutualExclusion, APauseOfTheWholeOverlapIsToldOnce) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 0, 160 * kMs);
  h.process("a", 50 * kMs, ProcessChange::stopped);
  h.believes(b, 100 * kMs, 140 * kMs);
  const History history = h.build();
  EXPECT_EQ(explain(judged(history), history),
            "a (hold 1) and b (hold 2) both believed that they held L for 40.0 ms (from 100.0 ms to 140.0 ms); a was "
            "paused during the whole overlap");
}

// a |---==stopped==---------|
// b       |-----==stopped==-|
TEST(MutualExclusion, PausesInTurnAreToldTogether) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 0, 160 * kMs);
  h.process("a", 50 * kMs, ProcessChange::stopped);
  h.believes(b, 100 * kMs, 160 * kMs);
  h.process("a", 130 * kMs, ProcessChange::continued);
  h.process("b", 130 * kMs, ProcessChange::stopped);
  const History history = h.build();
  EXPECT_EQ(explain(judged(history), history),
            "a (hold 1) and b (hold 2) both believed that they held L for 60.0 ms (from 100.0 ms to 160.0 ms); a was "
            "paused for 30.0 ms of it; b was paused for 30.0 ms of it; at every moment at least one of the processes "
            "was paused");
}

TEST(MutualExclusion, DeathEndsABelief) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.acquires(b, 10, 100);
  h.believes(a, 0, 50, BeliefEnd::died);
  h.process("a", 50, ProcessChange::died);
  h.believes(b, 100, 200);
  h.belief(a, 150, BeliefEnd::released);  // a record after the end does not matter
  EXPECT_EQ(judged(h.build()).verdict, Verdict::holds);
}

TEST(MutualExclusion, ADeadlineEndsTheBeliefOnlyOfAWorkloadThatHonoursIt) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.acquires(b, 10, 60);
  h.believes(a, 0, 50, BeliefEnd::deadline);
  h.belief(a, 80, BeliefEnd::released);
  h.believes(b, 60, 100);
  const History history = h.build();
  JudgeOptions options;
  options.honours_deadlines = true;
  EXPECT_EQ(judged(history, options).verdict, Verdict::holds);
  options.honours_deadlines = false;
  const Finding v = judged(history, options);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 20);
}

TEST(MutualExclusion, ABeliefWithoutEndLastsUntilTheEndOfTheRun) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 0);
  h.believes(b, 60 * kMs);
  h.phase(100 * kMs, Phase::end);
  const History history = h.build();
  const Finding v = judged(history);
  EXPECT_EQ(v.measure, 40 * kMs);
  EXPECT_EQ(v.witness.event_count, 2);
  EXPECT_NE(explain(v, history).find("to the end of the run"), std::string::npos);
}

TEST(MutualExclusion, ReadersMayMeetReadersButNoWriter) {
  ScriptedHistory h;
  const HoldId a = h.hold("a", "L", HoldMode::read), b = h.hold("b", "L", HoldMode::read);
  h.believes(a, 0, 100);
  h.believes(b, 10, 60);
  EXPECT_EQ(judged(h.build()).verdict, Verdict::holds);

  ScriptedHistory with_writer;
  const HoldId r1 = with_writer.hold("a", "L", HoldMode::read);
  const HoldId r2 = with_writer.hold("b", "L", HoldMode::read);
  const HoldId w = with_writer.hold("c");
  with_writer.believes(r1, 0, 100);
  with_writer.believes(r2, 10, 60);
  with_writer.believes(w, 50, 70);
  const Finding v = judged(with_writer.build());
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 20);
  EXPECT_EQ(v.witness.all_holds()[1], w);  // the first two to believe were both readers
}

TEST(MutualExclusion, LocksOfDifferentNamesDoNotConflict) {
  ScriptedHistory h;
  const HoldId a = h.hold("a", "L"), b = h.hold("b", "M");
  h.believes(a, 0, 100);
  h.believes(b, 0, 100);
  EXPECT_EQ(judged(h.build()).verdict, Verdict::undecided);
}

// L:  a |------------------|        M:      c |--------|
//        b |---------------|                   d |--|
TEST(MutualExclusion, TheWitnessIsTheConflictThatBeganFirst) {
  ScriptedHistory h;
  const HoldId c = h.hold("c", "M"), d = h.hold("d", "M");
  const HoldId a = h.hold("a", "L"), b = h.hold("b", "L");
  h.believes(a, 0, 50);
  h.believes(b, 10, 50);
  h.believes(c, 5, 40);
  h.believes(d, 20, 30);
  const Finding v = judged(h.build());
  EXPECT_EQ(v.measure, 50);
  EXPECT_EQ(v.witness.all_holds()[0], a);
  EXPECT_EQ(v.witness.all_holds()[1], b);
}

TEST(MutualExclusion, TwoHoldsOfOneClientConflict) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), again = h.hold("a");
  h.believes(a, 0, 100);
  h.believes(again, 50, 100);
  EXPECT_EQ(judged(h.build()).measure, 50);
}

TEST(MutualExclusion, NPermitsTakeNPlusOneHolds) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b"), c = h.hold("c");
  h.believes(a, 0, 50);
  h.believes(b, 10, 80);
  h.believes(c, 30, 100);
  const History history = h.build();
  JudgeOptions two;
  two.permits = 2;
  const Finding v = judged(history, two);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 20);
  EXPECT_EQ(v.witness.hold_count, 3);
  EXPECT_NE(explain(v, history, two).find("a (hold 1), b (hold 2) and c (hold 3) all believed"), std::string::npos);
  JudgeOptions three;
  three.permits = 3;
  EXPECT_EQ(judged(history, three).verdict, Verdict::holds);
}

TEST(MutualExclusion, ClientsThatNeverMeetProveNothing) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.believes(a, 0, 50);
  h.believes(b, 60, 80);
  const History history = h.build();
  const Finding v = judged(history);
  EXPECT_EQ(v.verdict, Verdict::undecided);
  EXPECT_EQ(v.reason, Reason::vacuous);
  EXPECT_EQ(v.missing, Sometimes::contention);
  EXPECT_EQ(explain(v, history), "not tested: no client asked for a lock while another held it or asked for it");
}

TEST(MutualExclusion, OneClientAloneProvesNothing) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), again = h.hold("a");
  h.believes(a, 0, 50);
  h.believes(again, 60, 80);
  const History history = h.build();
  EXPECT_EQ(explain(judged(history), history), "not tested: only one client ever held the lock");
}

TEST(MutualExclusion, AForeignHistoryHasNoBeliefs) {
  ScriptedHistory h;
  h.foreign();
  const Finding v = judged(h.build());
  EXPECT_EQ(v.verdict, Verdict::not_applicable);
  EXPECT_EQ(v.reason, Reason::needs_beliefs);
}

}  // namespace mutual_exclusion_test
}  // namespace picklock
