#include "checker/properties/properties.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"
#include "checker/properties/sometimes.hpp"

namespace picklock {
namespace {

TEST(Properties, TheTableIsInTheOrderOfTheEnumerationAndComplete) {
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const PropertyInfo& property = properties()[i];
    EXPECT_EQ(property.property, static_cast<Property>(i));
    EXPECT_EQ(find_property(property.name), property.property);
    EXPECT_NE(property.needs, 0);
    // A client without a hold cannot be in a cycle: that clients keep an order is asked of every run.
    const bool of_every_run = property.property == Property::deadlock;
    EXPECT_EQ(property.sometimes == 0u, of_every_run) << "every always has a sometimes";
    EXPECT_FALSE(property.description.empty());
    EXPECT_FALSE(name(property.claim).empty());
    EXPECT_EQ(property.beside_unit == Unit::none, property.beside.empty());
  }
  EXPECT_EQ(find_property("mutual-inclusion"), std::nullopt);
}

ScriptedHistory healthy() {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.acquires(a, 0, 10);
  h.granted(a, 8, 108);
  h.believes(a, 10, 50);
  h.acquires(b, 20, 60);
  h.grant(a, 50, GrantChange::released);
  h.granted(b, 55, 155);
  h.believes(b, 60, 100);
  return h;
}

TEST(Properties, AScenarioMayDemandMore) {
  ScriptedHistory h = healthy();
  const History history = h.build();
  JudgeOptions options;
  EXPECT_EQ(finding_on(Property::mutual_exclusion, history, options).verdict, Verdict::holds);
  options.also_requires[static_cast<std::size_t>(Property::mutual_exclusion)] = bit(Sometimes::process_stopped);
  const Finding v = finding_on(Property::mutual_exclusion, history, options);
  EXPECT_EQ(v.reason, Reason::vacuous);
  EXPECT_EQ(explain(v, history), "not tested: no process was stopped");
  EXPECT_EQ(finding_on(Property::double_grant, history, options).verdict, Verdict::holds);
}

TEST(Properties, AnExhaustedBudgetLeavesOpenWhatWasNotViolated) {
  JudgeOptions options;
  options.budget_exhausted = true;
  ScriptedHistory sound = healthy();
  EXPECT_EQ(finding_on(Property::mutual_exclusion, sound.build(), options).reason, Reason::budget_exhausted);
  ScriptedHistory broken = healthy();
  broken.believes(broken.hold("c"), 30, 40);
  EXPECT_EQ(finding_on(Property::mutual_exclusion, broken.build(), options).verdict, Verdict::violated);
}

TEST(Properties, RecordsOutOfOrderAreNotJudged) {
  const auto spoil = [](auto change) {
    ScriptedHistory h = healthy();
    History history = h.build();
    change(history);
    Scratch scratch;
    for (const Finding& v : judge(history, {}, scratch)) {
      EXPECT_EQ(v.reason, Reason::records_out_of_order);
    }
  };
  spoil([](History& h) { std::swap(h.beliefs[0], h.beliefs[1]); });
  spoil([](History& h) { h.grants[1].index = h.grants[0].index; });
  spoil([](History& h) { h.grants[1].time = 0; });
  spoil([](History& h) { h.operations[0].hold = 3; });
  spoil([](History& h) { h.operations[1].object = 999; });
  spoil([](History& h) { h.holds[1].lock = 999; });
  spoil([](History& h) { h.holds.clear(); });
}

TEST(Properties, OneScratchServesManyHistories) {
  ScriptedHistory first = healthy();
  ScriptedHistory second = healthy();
  second.believes(second.hold("c"), 30, 40);
  const History calm = first.build(), broken = second.build();
  Scratch scratch;
  const Findings alone = judge(calm, {}, scratch);
  judge(broken, {}, scratch);
  EXPECT_EQ(judge(calm, {}, scratch), alone);
  for (const Finding& v : judge(History{}, {}, scratch)) {
    EXPECT_TRUE(v.verdict == Verdict::not_applicable || v.verdict == Verdict::undecided);
  }
}

TEST(Properties, EveryReasonHasWords) {
  for (auto reason = static_cast<std::uint8_t>(Reason::needs_beliefs);
       reason <= static_cast<std::uint8_t>(Reason::pending_at_end); ++reason) {
    EXPECT_FALSE(words(static_cast<Reason>(reason)).empty());
  }
}

}  // namespace
}  // namespace picklock
