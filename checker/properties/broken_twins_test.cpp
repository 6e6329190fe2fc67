// Each property has one story, told twice: once with a sound lock (or storage, or workload) and
// once with a twin that is broken on purpose.  The judge must let the first pass and catch the
// second.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

using Story = std::function<void(ScriptedHistory&, JudgeOptions&, bool broken)>;

struct Twins {
  Property property;
  const char* flaw;
  Story tell;
};

// a acquires and works, b waits for it; the clocks of the rest of the story start at 100.
struct TwoHolds {
  HoldId a, b;
  explicit TwoHolds(ScriptedHistory& h, std::int64_t first_token = kNoToken, std::int64_t second_token = kNoToken)
      : a(h.hold("a", "L", HoldMode::write, first_token)), b(h.hold("b", "L", HoldMode::write, second_token)) {
    h.acquires(a, 0, 10);
    h.granted(a, 8, 108);
  }
};

const Twins kTwins[] = {
    {Property::mutual_exclusion, "the client does not stop when it is told of the loss",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.believes(two.a, 10, broken ? 150 : 100, broken ? BeliefEnd::released : BeliefEnd::lost);
       h.acquires(two.b, 20, 110);
       h.believes(two.b, 110, 160);
     }},
    {Property::double_grant, "the server forgets the lock when it restarts",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.grant(two.a, broken ? 60 : 108, GrantChange::end);
       h.acquires(two.b, 5, 120);
       h.granted(two.b, broken ? 61 : 108, 220);
     }},
    {Property::lost_update, "the holder does not read again under its own hold",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.updates(two.a, 20, "counter", 1, 0);
       h.updates(two.b, 120, "counter", 2, broken ? 0 : 1);
     }},
    {Property::stale_write, "the storage compares no tokens",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.granted(two.b, 108, 208);
       h.writes(two.b, 120, "file", 1);
       if (broken) {
         h.writes(two.a, 130, "file", 2);
       } else {
         h.refused_write(two.a, 130, "file");
       }
     }},
    {Property::late_write, "the client releases before its write is acknowledged",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.grant(two.a, 50, GrantChange::released);
       h.writes(two.a, broken ? 60 : 40, "file", 1);
     }},
    {Property::fencing_monotonicity, "the counter of tokens is lost with the data",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h, 33, broken ? 1 : 34);
       h.granted(two.b, 108, 208);
     }},
    {Property::wrong_release, "the release deletes without comparing",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.granted(two.b, 108, 208);
       h.releases(two.a, 120, 130);
       if (broken) h.grant(two.b, 125, GrantChange::wrong_release, kNoTime, two.a);
       h.grant(two.a, 125, GrantChange::released);
     }},
    {Property::unreleased, "an extension that arrives after the release sets the key again",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.releases(two.a, 20, 40);
       h.grant(two.a, 30, GrantChange::released);
       if (broken) h.granted(two.a, 50, 150);
     }},
    {Property::wrong_renewal, "the renewal extends without comparing",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.grant(two.a, 40, GrantChange::extend, 140);
       h.granted(two.b, 140, 240);
       if (broken) h.grant(two.b, 150, GrantChange::wrong_renewal, 250, two.a);
     }},
    {Property::never_free_again, "the lock has no expiry, and its holder dies",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       h.believes(two.a, 10, 50, BeliefEnd::died);
       h.phase(200, Phase::probe);
       h.operation(210, 9, OperationType::invoke, "acquire", "L");
       h.operation(300, 9, broken ? OperationType::fail : OperationType::ok, "acquire", "L");
     }},
    {Property::starvation, "the wake-up is lost",
     [](ScriptedHistory& h, JudgeOptions& options, bool broken) {
       const TwoHolds two(h);
       h.believes(two.a, 10, 50);
       h.phase(40, Phase::heal);
       h.acquires(two.b, 20, broken ? 900 : 60);
       options.starvation_bound = 300;
     }},
    {Property::overtaking, "waiters are woken in the wrong order",
     [](ScriptedHistory& h, JudgeOptions& options, bool broken) {
       const TwoHolds two(h);
       const HoldId c = h.hold("c");
       h.acquires(two.b, 2, broken ? 300 : 200);
       h.acquires(c, 4, broken ? 200 : 300);
       h.granted(two.b, broken ? 300 : 200, 400);
       h.granted(c, broken ? 200 : 300, 400);
       options.overtaking_limit = 0;
     }},
    {Property::sold_twice, "the cinema keeps no record of the sale",
     [](ScriptedHistory& h, JudgeOptions& options, bool broken) {
       const TwoHolds two(h);
       options.seats = true;
       h.reads(two.a, 20, "seat", 0);
       h.writes(two.a, 30, "seat", 1);
       h.reads(two.b, 120, "seat", 1);
       if (broken) h.writes(two.b, 130, "seat", 2);
     }},
    {Property::deadlock, "two locks are taken in opposite orders",
     [](ScriptedHistory& h, JudgeOptions&, bool broken) {
       const TwoHolds two(h);
       const HoldId b = h.hold("b", "M"), then_a = h.hold("a", "M"), then_b = h.hold("b", "L");
       h.believes(two.a, 10, 100);
       h.acquires(b, 0, 10);
       h.granted(b, 8, 108);
       h.believes(b, 10, broken ? 100 : 20);
       if (!broken) h.grant(b, 20, GrantChange::released);
       h.acquires(then_a, 30, 90);
       h.acquires(then_b, broken ? 40 : 12, broken ? 95 : 15);
     }},
    {Property::lost_wake_up, "the message of the release comes before the subscription",
     [](ScriptedHistory& h, JudgeOptions& options, bool broken) {
       const TwoHolds two(h);
       h.believes(two.a, 10, 50);
       h.grant(two.a, 50, GrantChange::released);
       h.phase(60, Phase::heal);
       h.acquires(two.b, 20, broken ? 900 : 70);
       h.phase(500, Phase::probe);
       options.wake_up_bound = 100;
     }},
    {Property::orphaned, "a renewal outlives its holder",
     [](ScriptedHistory& h, JudgeOptions& options, bool broken) {
       const TwoHolds two(h);
       h.believes(two.a, 10, 50, BeliefEnd::died);
       if (broken) h.grant(two.a, 60, GrantChange::extend, 160);
       h.grant(two.a, broken ? 160 : 108, GrantChange::end);
       options.orphan_bound = 100;
     }},
    {Property::unserved, "the waiter in front is never woken",
     [](ScriptedHistory& h, JudgeOptions& options, bool broken) {
       const TwoHolds two(h);
       h.believes(two.a, 10, 50);
       h.grant(two.a, 50, GrantChange::released);
       h.granted(two.b, 50, 900);  // the queue names it
       h.acquires(two.b, 20, broken ? 900 : 70);
       options.unserved_bound = 100;
     }},
};

Finding judged(const Twins& twins, bool broken, std::string& explanation) {
  ScriptedHistory h;
  JudgeOptions options;
  twins.tell(h, options, broken);
  const History history = h.build();
  const Finding finding = finding_on(twins.property, history, options);
  explanation = explain(finding, history, options);
  return finding;
}

TEST(BrokenTwins, EachPropertyHasOne) {
  for (const PropertyInfo& property : properties()) {
    EXPECT_TRUE(std::any_of(std::begin(kTwins), std::end(kTwins), [&](const Twins& twins) {
      return twins.property == property.property;
    })) << property.name;
  }
}

TEST(BrokenTwins, TheSoundOnePassesAndTheBrokenOneIsCaught) {
  for (const Twins& twins : kTwins) {
    std::string explanation;
    const Finding sound = judged(twins, false, explanation);
    EXPECT_EQ(sound.verdict, Verdict::holds) << info(twins.property).name << ": " << explanation;
    const Finding broken = judged(twins, true, explanation);
    EXPECT_EQ(broken.verdict, Verdict::violated) << info(twins.property).name << " must notice that " << twins.flaw;
    EXPECT_FALSE(explanation.empty());
    EXPECT_GT(broken.witness.event_count, 0);
  }
}

}  // namespace
}  // namespace picklock
