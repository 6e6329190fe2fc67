#include "reports/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/properties/history_lab.hpp"
#include "reports/table.hpp"

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

PropertySummary summary(Verdict verdict, int runs, std::uint64_t not_tested = 0) {
  PropertySummary s;
  s.property = Property::mutual_exclusion;
  for (int i = 1; i <= runs; ++i) s.tally.add(verdict, static_cast<std::uint64_t>(i));
  s.expectation = Expectation{Verdict::violated, Seeds::every};
  s.fulfilment = fulfilment(*s.expectation, s.tally);
  s.not_tested = not_tested;
  return s;
}

TEST(Expectations, AnUnmetOneIsToldInFull) {
  Scenario scenario;
  scenario.lock.name = "redlock";
  EXPECT_EQ(unmet_expectation(scenario, summary(Verdict::holds, 10)),
            "mutual-exclusion: NOT as expected: redlock claims \"violated in every run\"; it held in 10 of 10\n");
  scenario.expect["mutual-exclusion"] = Expectation{Verdict::violated, Seeds::every};
  PropertySummary both = summary(Verdict::holds, 7);
  for (std::uint64_t seed = 8; seed <= 10; ++seed) both.tally.add(Verdict::violated, seed);
  EXPECT_EQ(unmet_expectation(scenario, both),
            "mutual-exclusion: NOT as expected: the scenario expects \"violated in every run\"; "
            "it held in 7, was violated in 3 of 10\n");
}

TEST(CampaignTable, TellsWhatWasNotTestedAndWhatIsNotAsExpected) {
  Scenario scenario;
  scenario.expect["mutual-exclusion"] = Expectation{Verdict::violated, Seeds::every};
  CampaignResult result;
  result.seeds = {1, 10};
  result.runs = 10;
  const auto table = [&](const PropertySummary& s) {
    result.properties = {s};
    return campaign_table(scenario, result, false, "picklock run x --seed ");
  };
  EXPECT_NE(table(summary(Verdict::violated, 10)).find("yes: violated in every run"), std::string::npos);
  EXPECT_NE(table(summary(Verdict::undecided, 10, 10)).find("not tested: violated in every run"), std::string::npos);
  EXPECT_NE(table(summary(Verdict::undecided, 10, 4)).find("undecided: violated in every run"), std::string::npos);
  EXPECT_NE(table(summary(Verdict::holds, 10))
                .find("\nmutual-exclusion: NOT as expected: the scenario expects \"violated in every run\"; it held in "
                      "10 of 10\n"),
            std::string::npos);
  PropertySummary plain = summary(Verdict::undecided, 10, 10);
  plain.expectation.reset();
  EXPECT_NE(table(plain).find("  not tested\n"), std::string::npos);
}

}  // namespace
}  // namespace picklock
