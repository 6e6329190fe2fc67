#include "checker/properties/double_grant.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace double_grant_test {

constexpr std::int64_t kMs = 1'000'000;

// Two holds that contend, so that "holds" is not vacuous.
struct Two : ScriptedHistory {
  HoldId a = hold("a"), b = hold("b");
  Two() {
    acquires(a, 0, 10);
    acquires(b, 5, 2'000);
  }
  Finding judged() { return finding_on(Property::double_grant, build()); }
};

TEST(DoubleGrant, APromiseLastsUntilItsTtlInTrueTime) {
  Two early;
  early.granted(early.a, 10, 110);
  early.grant(early.a, 50, GrantChange::end);  // the server lost it, or its clock stepped
  early.granted(early.b, 109, 209);
  EXPECT_EQ(early.judged().verdict, Verdict::violated);

  Two in_time;
  in_time.granted(in_time.a, 10, 110);
  in_time.grant(in_time.a, 50, GrantChange::end);
  in_time.granted(in_time.b, 110, 210);  // half-open
  EXPECT_EQ(in_time.judged().verdict, Verdict::holds);
}

TEST(DoubleGrant, AReleaseEndsThePromise) {
  for (const GrantChange end : {GrantChange::released, GrantChange::forced}) {
    for (const bool recorded_last : {false, true}) {
      Two h;
      h.granted(h.a, 10, kWithoutEnd);
      if (!recorded_last) h.grant(h.a, 50, end);
      h.granted(h.b, 50, 150);  // a's lease ends at this very moment
      if (recorded_last) h.grant(h.a, 50, end);
      EXPECT_EQ(h.judged().verdict, Verdict::holds);
    }
  }
}

TEST(DoubleGrant, AnExtensionMovesThePromiseEitherWay) {
  Two later;
  later.granted(later.a, 10, 110);
  later.grant(later.a, 100, GrantChange::extend, 200);
  later.granted(later.b, 150, 250);
  EXPECT_EQ(later.judged().verdict, Verdict::violated);

  Two sooner;
  sooner.granted(sooner.a, 10, 110);
  sooner.grant(sooner.a, 20, GrantChange::extend, 60);
  sooner.granted(sooner.b, 60, 160);
  EXPECT_EQ(sooner.judged().verdict, Verdict::holds);
}

TEST(DoubleGrant, AWrongReleaseDoesNotEndThePromise) {
  Two h;
  h.granted(h.a, 10, 110);
  h.grant(h.a, 50, GrantChange::wrong_release, kNoTime, h.b);
  h.grant(h.a, 50, GrantChange::end);
  h.granted(h.b, 60, 160);
  EXPECT_EQ(h.judged().verdict, Verdict::violated);
}

TEST(DoubleGrant, OwnershipWithoutLengthIsNone) {
  Two h;
  h.granted(h.a, 10, 110);
  h.granted(h.b, 50, 150);
  h.grant(h.b, 50, GrantChange::end);
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(DoubleGrant, TheSameHoldMayBeNamedAgain) {
  Two h;
  h.granted(h.a, 10, 110);
  h.grant(h.a, 50, GrantChange::end);
  h.granted(h.a, 60, kNoTime);  // another server takes over and knows the hold
  EXPECT_EQ(h.judged().verdict, Verdict::holds);
}

TEST(DoubleGrant, ReadersMayShare) {
  ScriptedHistory h;
  const HoldId a = h.hold("a", "L", HoldMode::read), b = h.hold("b", "L", HoldMode::read);
  const HoldId w = h.hold("w");
  h.acquires(a, 0, 10);
  h.acquires(b, 5, 20);
  h.granted(a, 10, 110);
  h.granted(b, 20, 120);
  const auto shared = h;
  EXPECT_EQ(finding_on(Property::double_grant, h.build()).verdict, Verdict::holds);
  ScriptedHistory with_writer = shared;
  with_writer.granted(w, 115, 200);
  const Finding v = finding_on(Property::double_grant, with_writer.build());
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.witness.all_holds()[0], b);
  EXPECT_EQ(v.witness.all_holds()[1], w);
}

TEST(DoubleGrant, TheExplanationSaysHowEarly) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.granted(a, 103 * kMs, 203 * kMs);
  h.granted(b, 120 * kMs, 220 * kMs);
  const History history = h.build();
  EXPECT_EQ(explain(finding_on(Property::double_grant, history), history),
            "L was granted to b (hold 2) at 120.0 ms while it was still promised to a (hold 1) "
            "until 203.0 ms (83.0 ms too early)");
}

}  // namespace double_grant_test
}  // namespace picklock
