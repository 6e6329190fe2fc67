#include "reports/run/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMs = 1'000'000;

std::vector<std::string> told(const History& history) {
  std::vector<std::string> all;
  for (const StoryLine& line : story_of(history)) all.push_back(line.text);
  return all;
}

bool tells(const History& history, const std::string& text) {
  const std::vector<std::string> all = told(history);
  return std::find(all.begin(), all.end(), text) != all.end();
}

TEST(Story, ALeaseThatHasRunOutIsToldWithItsEnd) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.granted(a, 0, 100 * kMs);
  h.grant(a, 106 * kMs, GrantChange::end, kNoTime, b);
  h.granted(b, 106 * kMs, 206 * kMs);
  EXPECT_TRUE(tells(h.build(), "L: a's lease (until 100.0 ms) has run out; b's request ends it"));
}

TEST(Story, AReleaseThatFailsIsToldWithWhoseTheLockIs) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.granted(a, 0, kWithoutEnd);
  h.operation(5 * kMs, 0, OperationType::invoke, "release", "L", a);
  h.operation(6 * kMs, 0, OperationType::fail, "release", "L", a);
  h.grant(a, 10 * kMs, GrantChange::end);
  h.operation(15 * kMs, 1, OperationType::invoke, "release", "L", b);
  h.operation(16 * kMs, 1, OperationType::fail, "release", "L", b);
  const History history = h.build();
  EXPECT_TRUE(tells(history, "a fails to release L, which stays its own"));
  EXPECT_TRUE(tells(history, "b is told that L was not its own any more"));
}

// The first command took effect; the second finds nothing.
TEST(Story, AReleaseThatACommandHasAlreadyAppliedLeavesNothingToTheHold) {
  for (const GrantChange change : {GrantChange::released, GrantChange::forced}) {
    ScriptedHistory h;
    const HoldId a = h.hold("a");
    h.granted(a, 0, kWithoutEnd);
    h.operation(5 * kMs, 0, OperationType::invoke, "release", "L", a);
    h.grant(a, 6 * kMs, change);
    h.operation(8 * kMs, 0, OperationType::fail, "release", "L", a);
    const History history = h.build();
    EXPECT_TRUE(tells(history, "a is told that L was not its own any more"));
    EXPECT_FALSE(tells(history, "a fails to release L, which stays its own"));
  }
}

TEST(Story, ALeaseCountsFromItsLastRenewal) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  h.granted(a, 0, 100 * kMs);
  h.grant(a, 50 * kMs, GrantChange::extend, 150 * kMs, a);
  h.grant(a, 151 * kMs, GrantChange::end, kNoTime, kNoHold);
  EXPECT_TRUE(tells(h.build(), "L: a's lease (until 150.0 ms) has run out"));
}

TEST(Story, ALeaseThatIsLostEarlyIsToldApart) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  h.granted(a, 0, 100 * kMs);
  h.grant(a, 40 * kMs, GrantChange::end, kNoTime, kNoHold);
  EXPECT_TRUE(tells(h.build(), "L: a loses its lease (until 100.0 ms) early"));
}

TEST(Story, ChangesOfALeaseByLessThanAHundredthAreSmallUntilTheyAddUp) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  h.granted(a, 0, 30'000 * kMs);
  for (const std::int64_t at : {100, 200, 400, 500}) h.grant(a, at * kMs, GrantChange::extend, (30'000 + at) * kMs, a);
  h.grant(a, 600 * kMs, GrantChange::extend, 20'000 * kMs, a);
  std::string told;  // + told, - small
  for (const StoryLine& line : story_of(h.build())) {
    if (line.renewal_of != kNoHold) told += line.small ? '-' : '+';
  }
  EXPECT_EQ(told, "--+-+") << "by 400 ms, and a shorter one";
}

TEST(Story, AHoldThatOthersMayShareSaysSo) {
  ScriptedHistory h;
  const HoldId a = h.hold("a", "L", HoldMode::read);
  h.granted(a, 0, 100 * kMs);
  EXPECT_TRUE(tells(h.build(), "L: granted to a (shared), until 100.0 ms"));
}

TEST(Story, TheEndOfTheLoadTellsWhatThereWasToHeal) {
  ScriptedHistory h;
  h.phase(0, Phase::load);
  h.phase(kMs, Phase::heal);
  const History history = h.build();
  const auto end_of_load = [&](const StoryContext& context) { return story_of(history, context).at(0).text; };
  EXPECT_EQ(end_of_load({}), "-- the load is over");
  EXPECT_EQ(end_of_load({.faults_healed = true}), "-- the load is over: all faults are lifted");
  EXPECT_EQ(end_of_load({.faults_healed = true, .restarts = true}),
            "-- the load is over: all faults are lifted, the dead restarted");
}

// Each hold reads version 0 and writes one more; `acknowledged` of the writes are; the probe finds `value`.
History counted(int acknowledged, std::int64_t value) {
  ScriptedHistory h;
  std::uint64_t version = 0;
  for (int i = 0; i < acknowledged; ++i, ++version) {
    h.updates(h.hold("a"), static_cast<std::int64_t>(version) * kMs, "counter", version + 1, version);
  }
  const HoldId probe = h.hold("probe");
  h.reads(probe, 100 * kMs, "counter", version);
  h.operation(101 * kMs, 9, OperationType::ok, "final-read", "", probe, kNoToken, Value::integer(value));
  return h.build();
}

TEST(Story, TheFinalReadTellsOfLostIncrements) {
  EXPECT_TRUE(tells(counted(2, 1), "afterwards counter is 1, though 2 increments were acknowledged: one is lost"));
  EXPECT_TRUE(tells(counted(5, 2), "afterwards counter is 2, though 5 increments were acknowledged: 3 are lost"));
  EXPECT_TRUE(tells(counted(2, 2), "afterwards counter is 2"));
  EXPECT_TRUE(tells(counted(0, 0), "afterwards counter is 0"));
}

}  // namespace
}  // namespace picklock
