// Orphaned: a hold that the service names and no living client believes in.
#include "checker/properties/orphaned.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace orphaned_test {

// a holds L from 10 on; what becomes of it is up to the test.
struct Held : ScriptedHistory {
  HoldId a = hold("a");
  JudgeOptions options;
  Held() {
    options.orphan_bound = 100;
    options.ends_by = "TTL of the key";
    acquires(a, 0, 10);
    granted(a, 5, 1'000);
  }
  Finding judged() {
    history = build();
    return finding_on(Property::orphaned, history, options);
  }
  History history;
};

//   a  |==believes==X died
//   L  |------------------granted--------|
TEST(Orphaned, WhatADeadClientLeavesIsOneUntilTheServiceEndsIt) {
  for (const std::int64_t end : {150, 151}) {
    Held h;
    h.believes(h.a, 10, 50, BeliefEnd::died);
    h.process("a", 50, ProcessChange::died);
    h.grant(h.a, end, GrantChange::end);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, end == 150 ? Verdict::holds : Verdict::violated);
    EXPECT_EQ(v.measure, end - 50);
    EXPECT_EQ(v.beside, end == 150 ? 0 : 1);
    if (end == 150) continue;
    EXPECT_EQ(
        explain(v, h.history, h.options),
        "the service named a (hold 1) as owner of L from 50 ns to 151 ns, while no living client believed in that "
        "hold, acquired it or released it: an orphan for 101 ns; the bound is 100 ns, and what ends a hold is its "
        "TTL of the key");
  }
}

TEST(Orphaned, NothingIsAnOrphanThatIsBelievedInAskedForOrBeingGivenBack) {
  Held h;
  h.believes(h.a, 10, 500);
  h.releases(h.a, 500, 900);
  h.grant(h.a, 900, GrantChange::released);
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::holds);
  EXPECT_EQ(v.measure, 0);
}

TEST(Orphaned, AnAcquireThatGaveUpAndAReleaseThatFailedLeaveOne) {
  for (const OperationType answer : {OperationType::info, OperationType::fail}) {
    for (const bool at_release : {false, true}) {
      ScriptedHistory h;
      const HoldId a = h.hold("a");
      JudgeOptions options;
      options.orphan_bound = 100;
      h.operation(0, 0, OperationType::invoke, "acquire", "L", a);
      h.granted(a, 5, 1'000);
      if (at_release) {
        h.operation(10, 0, OperationType::ok, "acquire", "L", a);
        h.believes(a, 10, 20);
        h.operation(20, 0, OperationType::invoke, "release", "L", a);
      }
      h.operation(30, 0, answer, at_release ? "release" : "acquire", "L", a);
      h.grant(a, 200, GrantChange::end);
      const History history = h.build();
      const Finding v = finding_on(Property::orphaned, history, options);
      EXPECT_EQ(v.verdict, Verdict::violated);
      EXPECT_EQ(v.measure, 170);
      EXPECT_NE(explain(v, history, options).find("no time ends a hold of this lock"), std::string::npos);
    }
  }
}

TEST(Orphaned, GrantedAnewAfterItsRelease) {
  Held h;
  h.believes(h.a, 10, 20);
  h.releases(h.a, 20, 30);
  h.grant(h.a, 25, GrantChange::released);
  h.granted(h.a, 40, 1'000);
  h.phase(1'100, Phase::end);
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated) << "to the end of the run";
  EXPECT_EQ(v.measure, 1'060);
}

TEST(Orphaned, WhereFaultsMayDisturbTheServiceOnlyTheTimeAfterHealingCounts) {
  for (const std::int64_t end : {400, 401}) {
    Held h;
    h.options.counts_from_healing = true;
    h.believes(h.a, 10, 50, BeliefEnd::died);
    h.phase(300, Phase::heal);
    h.grant(h.a, end, GrantChange::end);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, end == 400 ? Verdict::holds : Verdict::violated);
    EXPECT_EQ(v.measure, end - 50) << "what is told is the whole";
    if (end > 400) {
      EXPECT_NE(explain(v, h.history, h.options).find("351 ns, of which 101 ns after healing"), std::string::npos);
    }
  }
  Held unhealed;
  unhealed.options.counts_from_healing = true;
  unhealed.believes(unhealed.a, 10, 50, BeliefEnd::died);
  EXPECT_EQ(unhealed.judged().reason, Reason::no_healing);
}

// A record stays when its lease is over, and any client may write over it.
TEST(Orphaned, WhatEndsUntoldIsOneWhileItIsPromised) {
  for (const bool renewed : {false, true}) {
    Held h;
    h.options.ends_untold = true;
    h.believes(h.a, 10, 950);
    if (renewed) h.grant(h.a, 999, GrantChange::extend, 1'060);
    h.grant(h.a, 1'500, GrantChange::extend, 1'550);  // too late for the promise before
    h.phase(2'000, Phase::end);
    const Finding v = h.judged();
    EXPECT_EQ(v.verdict, renewed ? Verdict::violated : Verdict::holds);
    EXPECT_EQ(v.measure, renewed ? 110 : 50);
    if (renewed) {
      EXPECT_NE(explain(v, h.history, h.options).find("from 950 ns to 0.001 ms"), std::string::npos)
          << explain(v, h.history, h.options);
    }
  }
  Held named;
  named.believes(named.a, 10, 50);
  named.phase(2'000, Phase::end);
  EXPECT_EQ(named.judged().verdict, Verdict::violated) << "where a server ends holds, a name alone keeps others out";
}

TEST(Orphaned, IsOpenWithinTheBoundAndWithoutOne) {
  Held within;
  within.believes(within.a, 10, 50);
  within.phase(120, Phase::end);
  EXPECT_EQ(within.judged().reason, Reason::pending_at_end);
  Held unbounded;
  unbounded.options.orphan_bound = kNoTime;
  EXPECT_EQ(unbounded.judged().reason, Reason::no_bound);
  Held vacuous;  // believed in to the end
  vacuous.believes(vacuous.a, 10);
  EXPECT_EQ(vacuous.judged().missing, Sometimes::hold_ended);
}

TEST(Orphaned, HalvesOfAMultiLockThatIsStillAskedForAreNone) {
  for (const bool gives_up : {false, true}) {
    ScriptedHistory h;
    const HoldId both = h.hold("a", "L+M"), left = h.hold("a", "L");
    h.hold("a", "M");
    JudgeOptions options;
    options.orphan_bound = 100;
    h.operation(0, 0, OperationType::invoke, "acquire", "L+M", both);
    h.granted(left, 5, 1'000);
    if (gives_up) h.operation(300, 0, OperationType::fail, "acquire", "L+M", both);
    h.phase(500, Phase::end);
    const Finding v = finding_on(Property::orphaned, h.build(), options);
    EXPECT_EQ(v.measure, gives_up ? 200 : 0);
    EXPECT_EQ(v.verdict == Verdict::violated, gives_up);
  }
}

// Histories that are read may have other holds of the client between a whole and its parts.
TEST(Orphaned, PartsOfAMultiLockNeedNotFollowOneAnother) {
  ScriptedHistory h;
  const HoldId both = h.hold("a", "L+M");
  h.hold("a", "M");
  h.hold("a", "M");
  const HoldId left = h.hold("a", "L");
  JudgeOptions options;
  options.orphan_bound = 1'000;
  h.granted(left, 5, 2'000);
  h.operation(100, 0, OperationType::invoke, "acquire", "L+M", both);
  h.operation(300, 0, OperationType::fail, "acquire", "L+M", both);
  h.phase(310, Phase::end);
  EXPECT_EQ(finding_on(Property::orphaned, h.build(), options).measure, 95) << "before it was asked for";
}

TEST(Orphaned, TheProbesOwnHoldsDoNotCount) {
  Held h;
  h.believes(h.a, 10, 20);
  h.grant(h.a, 20, GrantChange::released);
  const HoldId probe = h.hold("probe");
  h.phase(30, Phase::probe);
  h.operation(40, 9, OperationType::invoke, "acquire", "L", probe);
  h.operation(50, 9, OperationType::fail, "acquire", "L", probe);
  h.granted(probe, 45, 1'000);
  h.phase(900, Phase::end);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

}  // namespace orphaned_test
}  // namespace picklock
