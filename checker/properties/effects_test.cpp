// Lost updates, stale and late writes, and seats: all that is judged by effects on the resource.
#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

struct Effects : ScriptedHistory {
  HoldId a = hold("a"), b = hold("b");
};

Verdict verdict(Property property, const History& history, const JudgeOptions& options = {}) {
  return finding_on(property, history, options).verdict;
}

TEST(LostUpdate, AWriteThatHadNotSeenAnotherLosesIt) {
  Effects h;
  h.reads(h.a, 1, "counter", 0);
  h.updates(h.b, 2, "counter", 1, 0);
  h.updates(h.a, 3, "counter", 2, 0);
  const History history = h.build();
  const Finding v = finding_on(Property::lost_update, history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);
  EXPECT_EQ(v.witness.all_holds()[0], h.b);
  EXPECT_EQ(v.witness.all_holds()[1], h.a);
  EXPECT_EQ(explain(v, history),
            "the write of b (hold 2) at 2 ns, which made version 1 of counter and was "
            "acknowledged, is lost: a (hold 1) made version 2 at 3 ns out of version 0");
}

TEST(LostUpdate, TheVersionReadAndTheVersionWrittenAreNotBetween) {
  Effects h;
  h.updates(h.b, 2, "counter", 1, 0);
  h.updates(h.a, 3, "counter", 2, 1);
  h.updates(h.b, 4, "counter", 3, 2);
  EXPECT_EQ(verdict(Property::lost_update, h.build()), Verdict::holds);
}

TEST(LostUpdate, WhatWasNotAcknowledgedOrIsOnesOwnIsNotLost) {
  Effects h;
  h.updates(h.b, 2, "counter", 1, 0, false);
  h.updates(h.a, 3, "counter", 2, 0);
  h.updates(h.a, 4, "counter", 3, 1);
  EXPECT_EQ(verdict(Property::lost_update, h.build()), Verdict::holds);
}

TEST(LostUpdate, ARefusedWriteIsLostIfItsCallerWasToldThatItSucceeded) {
  Effects told, swallowed;
  told.updates(told.b, 2, "counter", 1, 0);
  told.refused_write(told.a, 3, "counter");
  EXPECT_EQ(verdict(Property::lost_update, told.build()), Verdict::holds);

  swallowed.updates(swallowed.b, 2, "counter", 1, 0);
  swallowed.refused_write(swallowed.a, 3, "counter", true);
  const History history = swallowed.build();
  const Finding v = finding_on(Property::lost_update, history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);
  EXPECT_EQ(explain(v, history),
            "the write of a (hold 1) at 3 ns to counter was refused, and its caller was told that it succeeded");
}

TEST(LostUpdate, AWriteThatIsNotComputedFromAReadLosesNothing) {
  Effects h;
  h.writes(h.b, 2, "register", 1);
  h.writes(h.a, 3, "register", 2);
  EXPECT_EQ(verdict(Property::lost_update, h.build()), Verdict::holds);
}

TEST(LostUpdate, VersionsOfDifferentResourcesAreDifferent) {
  Effects h;
  h.updates(h.b, 2, "x", 1, 0);
  h.updates(h.a, 3, "y", 2, 0);
  h.reads(h.a, 4, "x", 1);
  EXPECT_EQ(verdict(Property::lost_update, h.build()), Verdict::holds);
}

// Article's picture: the fence on writes alone lets a holder that read early overwrite a later
// read.
TEST(StaleWrite, AReadOfALaterHoldCounts) {
  Effects h;
  h.granted(h.a, 0, 100);
  h.granted(h.b, 100, 200);
  h.reads(h.b, 110, "file", 0);
  h.updates(h.a, 120, "file", 1, 0);
  const History history = h.build();
  const Finding v = finding_on(Property::stale_write, history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_NE(explain(v, history).find("had read it"), std::string::npos);
  EXPECT_EQ(verdict(Property::late_write, history), Verdict::holds);
}

TEST(StaleWrite, ARefusedRequestHasNoEffect) {
  Effects h;
  h.granted(h.a, 0, 100);
  h.granted(h.b, 100, 200);
  h.updates(h.b, 110, "file", 1, 0);
  h.refused_write(h.a, 120, "file");
  EXPECT_EQ(verdict(Property::stale_write, h.build()), Verdict::holds);

  Effects refused_later;
  refused_later.granted(refused_later.a, 0, 100);
  refused_later.granted(refused_later.b, 100, 200);
  refused_later.refused_write(refused_later.b, 110, "file");
  refused_later.writes(refused_later.a, 120, "file", 1);
  EXPECT_EQ(verdict(Property::stale_write, refused_later.build()), Verdict::holds);
}

// The reply to a's first attempt is lost; b comes and goes; a's second attempt is heard of.
//   granted to a  |----|                |------------
//   granted to b          |--------|
//   a believes                            |==========
TEST(StaleWrite, AHoldRestsOnTheLastGrantBeforeItsBelief) {
  Effects h;
  h.granted(h.a, 10, 40);
  h.grant(h.a, 40, GrantChange::end);
  h.granted(h.b, 50, 90);
  h.reads(h.b, 60, "file", 0);
  h.grant(h.b, 90, GrantChange::released);
  h.granted(h.a, 100, 200);
  h.believes(h.a, 105, 150);
  h.updates(h.a, 110, "file", 1, 0);
  h.granted(h.a, 160, 260);  // a renaming after the belief has no part in the order
  EXPECT_EQ(verdict(Property::stale_write, h.build()), Verdict::holds);

  Effects unheard;  // a rests on the first grant, as it has no second
  unheard.granted(unheard.a, 10, 40);
  unheard.granted(unheard.b, 50, 90);
  unheard.reads(unheard.b, 60, "file", 0);
  unheard.believes(unheard.a, 105, 150);
  unheard.updates(unheard.a, 110, "file", 1, 0);
  EXPECT_EQ(verdict(Property::stale_write, unheard.build()), Verdict::violated);
}

TEST(StaleWrite, SeveralLegalHoldersMayInterleave) {
  Effects h;
  h.granted(h.a, 0, 100);
  h.granted(h.b, 10, 200);
  h.writes(h.b, 20, "file", 1);
  h.writes(h.a, 30, "file", 2);
  JudgeOptions options;
  options.permits = 2;
  EXPECT_EQ(verdict(Property::stale_write, h.build(), options), Verdict::not_applicable);
}

TEST(LateWrite, AWriteAfterTheGrantAndBeforeTheNextHolderIsLateAndNotStale) {
  Effects h;
  h.granted(h.a, 0, 1'000'000);
  h.grant(h.a, 1'000'000, GrantChange::end);
  h.granted(h.b, 1'500'000, 9'000'000);
  h.writes(h.a, 3'000'000, "file", 1);
  h.writes(h.b, 4'000'000, "file", 2);
  const History history = h.build();
  const Finding v = finding_on(Property::late_write, history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(verdict(Property::stale_write, history), Verdict::holds);
  EXPECT_EQ(explain(v, history),
            "file took a write of a (hold 1) at 3.0 ms, 2.0 ms after its grant had ended; no later "
            "holder had touched it yet");
}

TEST(LateWrite, AGrantThatEndsAtTheInstantOfTheWriteHasEnded) {
  Effects h;
  h.granted(h.a, 0, 50);
  h.writes(h.a, 50, "file", 1);
  h.grant(h.a, 50, GrantChange::end);
  EXPECT_EQ(verdict(Property::late_write, h.build()), Verdict::violated);
}

TEST(SoldTwice, TwoAcknowledgedSalesOfOneSeat) {
  JudgeOptions options;
  options.seats = true;
  Effects h;
  h.reads(h.a, 1, "seat 7", 0);
  h.reads(h.b, 2, "seat 7", 0);
  h.writes(h.a, 3, "seat 7", 1);
  h.writes(h.a, 4, "seat 8", 1);
  const auto once = static_cast<const ScriptedHistory&>(h);
  EXPECT_EQ(verdict(Property::sold_twice, ScriptedHistory(once).build(), options), Verdict::holds);

  ScriptedHistory unacknowledged = once;
  unacknowledged.writes(h.b, 5, "seat 7", 2, false);
  EXPECT_EQ(verdict(Property::sold_twice, unacknowledged.build(), options), Verdict::holds);

  ScriptedHistory twice = once;
  twice.writes(h.b, 5, "seat 7", 2);
  const History history = twice.build();
  const Finding v = finding_on(Property::sold_twice, history, options);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);
  EXPECT_EQ(explain(v, history), "seat 7 was sold to a (hold 1) at 3 ns and to b (hold 2) at 5 ns");
  EXPECT_EQ(verdict(Property::sold_twice, history), Verdict::not_applicable);
}

}  // namespace
}  // namespace picklock
