// A lock that clients believed to hold, and whose owner the service never named.

#include <gtest/gtest.h>

#include "checker/properties/given_back.hpp"
#include "checker/properties/history_lab.hpp"
#include "checker/properties/properties.hpp"

namespace picklock {
namespace {

// Two clients, one after the other, each with an effect; perhaps granted.
ScriptedHistory two(bool granted, const std::string& lock = "L") {
  ScriptedHistory h;
  const HoldId a = h.hold("a", lock), b = h.hold("b", lock);
  h.acquires(a, 0, 10);
  h.acquires(b, 5, 50);
  h.believes(a, 10, 40);
  h.believes(b, 50, 90);
  h.updates(a, 20, "r", 1, 0);
  h.updates(b, 60, "r", 2, 1);
  h.releases(a, 40, 45);
  h.releases(b, 90, 95);
  if (granted) {
    h.granted(a, 9, 109);
    h.grant(a, 42, GrantChange::released, kNoTime, a);
    h.granted(b, 49, 149);
    h.grant(b, 92, GrantChange::released, kNoTime, b);
  }
  return h;
}

Findings all_judged(ScriptedHistory h) {
  Scratch scratch;
  const History history = h.build();
  return judge(history, {}, scratch);
}

TEST(UnseenOwner, WhatRestsOnGrantsIsNotApplicable) {
  const Findings unseen = all_judged(two(false)), seen = all_judged(two(true));
  for (const Property p :
       {Property::double_grant, Property::stale_write, Property::late_write, Property::wrong_release}) {
    EXPECT_EQ(of(unseen, p).verdict, Verdict::not_applicable) << info(p).name;
    EXPECT_EQ(of(unseen, p).reason, Reason::owner_never_named) << info(p).name;
    EXPECT_EQ(of(seen, p).verdict, Verdict::holds) << info(p).name;
  }
  for (const PropertyInfo& p : properties()) {
    const bool rests = (p.needs & static_cast<std::uint8_t>(Needs::grants)) != 0;
    EXPECT_FALSE(rests && of(unseen, p.property).verdict == Verdict::holds) << p.name;
  }
  for (const Property p : {Property::mutual_exclusion, Property::lost_update}) {
    EXPECT_EQ(of(unseen, p).verdict, Verdict::holds) << info(p).name;
  }
}

TEST(UnseenOwner, OneOfTwoLocksIsEnough) {
  ScriptedHistory h = two(true);
  const HoldId c = h.hold("a", "M");
  h.acquires(c, 100, 110);
  h.believes(c, 110, 120);
  EXPECT_EQ(of(all_judged(h), Property::double_grant).reason, Reason::owner_never_named);
}

TEST(UnseenOwner, AViolationOfAnotherLockStands) {
  ScriptedHistory h = two(true);
  const HoldId c = h.hold("c"), d = h.hold("a", "M");
  h.granted(c, 60, 160);  // promised to b until 92
  h.acquires(d, 100, 110);
  h.believes(d, 110, 120);
  EXPECT_EQ(of(all_judged(h), Property::double_grant).verdict, Verdict::violated);
}

// It looks free all the time.
TEST(UnseenOwner, AWaiterForSuchALockMissesNoWakeUp) {
  const auto waits = [](bool granted) {
    ScriptedHistory h;
    const HoldId a = h.hold("a"), b = h.hold("b");
    h.acquires(a, 0, 10);
    h.believes(a, 10);
    if (granted) h.granted(a, 9, kWithoutEnd);
    if (granted) h.grant(a, 15, GrantChange::end);
    h.operation(20, 1, OperationType::invoke, "acquire", "L", b);
    h.phase(30, Phase::heal);
    h.phase(1'000, Phase::probe);
    const History history = h.build();
    Scratch scratch;
    JudgeOptions options;
    options.wake_up_bound = 100;
    return of(judge(history, options, scratch), Property::lost_wake_up);
  };
  EXPECT_EQ(waits(false).reason, Reason::owner_never_named);
  EXPECT_EQ(waits(true).verdict, Verdict::violated);
}

// A task beside the holder deletes the key while the client goes on believing.
TEST(GivenBack, WhatNoReleaseAskedForWasNotGivenBack) {
  const auto unasked = [](bool asks, bool believes) {
    ScriptedHistory h;
    const HoldId a = h.hold("a");
    h.acquires(a, 0, 10);
    h.granted(a, 9, 109);
    believes ? h.believes(a, 10) : h.believes(a, 10, 30, BeliefEnd::lost);
    if (asks) h.releases(a, 40, 60);
    h.grant(a, 50, GrantChange::released, kNoTime, a);
    const History history = h.build();
    return ended_unasked(history, history.grants.back());
  };
  EXPECT_TRUE(unasked(false, true));
  EXPECT_FALSE(unasked(true, true));
  EXPECT_FALSE(unasked(false, false)) << "its client cleans up what it has lost";
}

}  // namespace
}  // namespace picklock
