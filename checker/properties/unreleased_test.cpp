// Unreleased: a hold that was given back and is kept by the service.
#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"
#include "checker/properties/named_owner.hpp"
#include "checker/properties/unreleased.hpp"

namespace picklock {
namespace {

// Acquired twice, released twice, all acknowledged; what the service did is up to the test.
struct Nested : ScriptedHistory {
  HoldId a = hold("a");
  Nested() {
    acquires(a, 0, 10);
    acquires(a, 20, 30);
    releases(a, 40, 50);
    granted(a, 5, 500);
  }
  Finding judged() { return finding_on(Property::unreleased, build()); }
};

TEST(Unreleased, IsOneWhoseCountIsTooHighAfterTheLastRelease) {
  Nested h;
  h.releases(h.a, 60, 70);
  h.grant(h.a, 500, GrantChange::end);  // the lease ran out
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);
  EXPECT_EQ(v.witness.holds[0], h.a);
}

TEST(Unreleased, IsKeptAlsoIfNothingEverEndsIt) {
  Nested h;
  h.releases(h.a, 60, 70);
  const History history = h.build();
  const Finding v = finding_on(Property::unreleased, history);
  ASSERT_EQ(v.verdict, Verdict::violated);
  EXPECT_NE(explain_unreleased(v, history, {}).find("went on naming it"), std::string::npos);
}

TEST(Unreleased, ReleasesThatArriveInTimeOrLateAreReleases) {
  for (const std::int64_t arrives : {65, 90}) {  // one time before the acknowledgement, one after it
    Nested h;
    h.releases(h.a, 60, 70);
    h.grant(h.a, arrives, GrantChange::released);
    EXPECT_EQ(h.judged().verdict, Verdict::holds) << arrives;
  }
}

TEST(Unreleased, InnerReleasesKeepWhatIsStillHeld) {
  Nested h;  // the outer one was never released: its client may believe in it
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(Unreleased, WhatWasNotAcknowledgedIsNobodysFault) {
  for (const OperationType answer : {OperationType::info, OperationType::fail}) {
    Nested h;
    h.operation(60, 0, OperationType::invoke, "release", "L", h.a);
    h.operation(70, 0, answer, "release", "L", h.a);
    EXPECT_EQ(h.judged().verdict, Verdict::holds);
  }
}

TEST(Unreleased, WhatHadRunOutBeforeIsNotKept) {
  Nested h;
  h.grant(h.a, 55, GrantChange::end);
  h.releases(h.a, 60, 70);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

// An extension that was under way when the release was sent sets the key again.
TEST(Unreleased, IsOneThatIsGrantedAnewAfterItsLastRelease) {
  for (const std::int64_t anew : {68, 90}) {  // one time before the acknowledgement, one after it
    Nested h;
    h.releases(h.a, 60, 70);
    h.grant(h.a, 65, GrantChange::released);
    h.granted(h.a, anew, 590);
    h.grant(h.a, 590, GrantChange::end);
    const History history = h.build();
    const Finding v = finding_on(Property::unreleased, history);
    ASSERT_EQ(v.verdict, Verdict::violated);
    EXPECT_EQ(explain(v, history),
              "a (hold 1) was told at 70 ns that L was given back, as often as it had been acquired, and the service "
              "granted it that hold anew at " +
                  std::to_string(anew) +
                  " ns, until 590 ns: until then it keeps others out, and no client gives it back");
  }
}

TEST(Unreleased, IsNotKeptIfACommandOfItsOwnEndsTheNewGrant) {
  Nested h;
  h.releases(h.a, 60, 70);
  h.grant(h.a, 65, GrantChange::released);
  h.granted(h.a, 90, 590);
  h.grant(h.a, 95, GrantChange::released);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

// The replica that takes over has not heard of the release: data come back, and no command of the hold has set them.
TEST(Unreleased, DataThatComeBackAreNoNewGrant) {
  Nested h;
  h.releases(h.a, 60, 70);
  h.grant(h.a, 65, GrantChange::released);
  h.granted(h.a, 90, kNoTime);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

// Each of the two promises of a release is judged by itself.
TEST(Unreleased, IsNoWrongRelease) {
  Nested kept;
  kept.releases(kept.a, 60, 70);
  EXPECT_EQ(finding_on(Property::wrong_release, kept.build()).verdict, Verdict::holds);
  Nested stolen;
  const HoldId b = stolen.hold("b");
  stolen.releases(stolen.a, 60, 70);
  stolen.grant(stolen.a, 65, GrantChange::wrong_release, kNoTime, b);
  stolen.grant(stolen.a, 65, GrantChange::end, kNoTime, b);
  const History history = stolen.build();
  EXPECT_EQ(finding_on(Property::wrong_release, history).verdict, Verdict::violated);
  EXPECT_EQ(finding_on(Property::unreleased, history).verdict, Verdict::holds);
}

TEST(NamedOwner, HeedsWhateverEndsAnOwnership) {
  for (const GrantChange change : {GrantChange::end, GrantChange::released, GrantChange::forced}) {
    ScriptedHistory h;
    const HoldId a = h.hold("a");
    h.granted(a, 5, 500);
    h.grant(a, 10, change);
    h.granted(a, 20, 500);
    const History history = h.build();
    const auto named = [&](std::size_t i) { return is_named_owner(history, a, history.grants[i].index); };
    EXPECT_TRUE(named(0));
    EXPECT_FALSE(named(1));
    EXPECT_TRUE(named(2));
  }
}

}  // namespace
}  // namespace picklock
