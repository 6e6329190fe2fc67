// The second half of wrong release: a hold that was given back and is kept by the service.
#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"
#include "checker/properties/wrong_release.hpp"

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
  Finding judged() { return finding_on(Property::wrong_release, build()); }
};

TEST(KeptHold, IsOneWhoseCountIsTooHighAfterTheLastRelease) {
  Nested h;
  h.releases(h.a, 60, 70);
  h.grant(h.a, 500, GrantChange::end);  // the lease ran out
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);
  EXPECT_EQ(v.witness.holds[0], h.a);
}

TEST(KeptHold, IsKeptAlsoIfNothingEverEndsIt) {
  Nested h;
  h.releases(h.a, 60, 70);
  const History history = h.build();
  const Finding v = finding_on(Property::wrong_release, history);
  ASSERT_EQ(v.verdict, Verdict::violated);
  EXPECT_NE(explain_wrong_release(v, history, {}).find("went on naming it"), std::string::npos);
}

TEST(KeptHold, ReleasesThatArriveInTimeOrLateAreReleases) {
  for (const std::int64_t arrives : {65, 90}) {  // before or after the acknowledgement
    Nested h;
    h.releases(h.a, 60, 70);
    h.grant(h.a, arrives, GrantChange::released);
    EXPECT_EQ(h.judged().verdict, Verdict::holds) << arrives;
  }
}

TEST(KeptHold, InnerReleasesKeepWhatIsStillHeld) {
  Nested h;  // the outer one was never released: its client may believe in it
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(KeptHold, WhatWasNotAcknowledgedIsNobodysFault) {
  for (const OperationType answer : {OperationType::info, OperationType::fail}) {
    Nested h;
    h.operation(60, 0, OperationType::invoke, "release", "L", h.a);
    h.operation(70, 0, answer, "release", "L", h.a);
    EXPECT_EQ(h.judged().verdict, Verdict::holds);
  }
}

TEST(KeptHold, WhatHadRunOutBeforeIsNotKept) {
  Nested h;
  h.grant(h.a, 55, GrantChange::end);
  h.releases(h.a, 60, 70);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

}  // namespace
}  // namespace picklock
