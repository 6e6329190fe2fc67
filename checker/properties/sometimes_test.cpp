#include "checker/properties/sometimes.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

SometimesMask happened(const History& history, const JudgeOptions& options = {}) {
  Scratch scratch;
  scratch.prepare(history, options);
  return scratch.happened;
}

TEST(Sometimes, TheTableIsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < kSometimesCount; ++i) {
    const auto condition = static_cast<Sometimes>(i);
    EXPECT_EQ(info(condition).condition, condition);
    EXPECT_EQ(find_sometimes(info(condition).name), condition);
  }
  EXPECT_EQ(find_sometimes("never"), std::nullopt);
}

TEST(Sometimes, EachConditionComesTrueByItsOwnRecords) {
  struct Case {
    Sometimes condition;
    void (*tell)(ScriptedHistory&, HoldId a, HoldId b);
  };
  const Case cases[] = {
      {Sometimes::someone_acquired, [](auto& h, HoldId a, HoldId) { h.believes(a, 1, 2); }},
      {Sometimes::contention,
       [](auto& h, HoldId a, HoldId b) {
         h.acquires(a, 1, 5);
         h.acquires(b, 2, 7);
       }},
      {Sometimes::two_holds,
       [](auto& h, HoldId a, HoldId b) {
         h.granted(a, 1, 5);
         h.granted(b, 6, 7);
       }},
      {Sometimes::release_asked, [](auto& h, HoldId a, HoldId) { h.releases(a, 1, 2); }},
      {Sometimes::renewal_happened, [](auto& h, HoldId a, HoldId) { h.grant(a, 1, GrantChange::extend, 9); }},
      {Sometimes::resource_written, [](auto& h, HoldId a, HoldId) { h.writes(a, 1, "r", 1); }},
      {Sometimes::resource_shared,
       [](auto& h, HoldId a, HoldId b) {
         h.reads(a, 1, "r", 1);
         h.refused_write(b, 2, "r");
       }},
      {Sometimes::token_issued,
       [](auto& h, HoldId a, HoldId) { h.operation(1, 0, OperationType::ok, "acquire", "L", a, 7); }},
      {Sometimes::fault_struck, [](auto& h, HoldId, HoldId) { h.operation(1, -1, OperationType::info, "partition"); }},
      {Sometimes::process_stopped, [](auto& h, HoldId, HoldId) { h.process("a", 1, ProcessChange::stopped); }},
      {Sometimes::process_died, [](auto& h, HoldId, HoldId) { h.process("a", 1, ProcessChange::died); }},
      {Sometimes::request_refused, [](auto& h, HoldId a, HoldId) { h.refused_write(a, 1, "r"); }},
      {Sometimes::loss_noticed, [](auto& h, HoldId a, HoldId) { h.believes(a, 1, 2, BeliefEnd::lost); }},
      {Sometimes::hold_ended, [](auto& h, HoldId a, HoldId) { h.believes(a, 1, 2, BeliefEnd::died); }},
      {Sometimes::answer_unknown, [](auto& h, HoldId, HoldId) { h.operation(1, 0, OperationType::info, "write"); }},
  };
  EXPECT_EQ(std::size(cases), kSometimesCount);
  for (const Case& each : cases) {
    ScriptedHistory h, late;
    each.tell(h, h.hold("a"), h.hold("b"));
    EXPECT_NE(happened(h.build()) & bit(each.condition), 0u) << info(each.condition).name;
    late.phase(0, Phase::probe);  // actions of the probe do not count
    each.tell(late, late.hold("a"), late.hold("b"));
    EXPECT_EQ(happened(late.build()), 0u) << info(each.condition).name;
  }
  EXPECT_EQ(happened(ScriptedHistory().build()), 0u);
}

TEST(Sometimes, AnotherOfItsOwnHoldsIsNoContention) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  h.acquires(a, 0, 5);
  h.believes(a, 5, 100);
  h.acquires(a, 10, 15);  // nested
  EXPECT_EQ(happened(h.build()) & bit(Sometimes::contention), 0u);
}

TEST(Sometimes, WaitingForAHolderThatNeverLetsGoIsContention) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  h.acquires(a, 0, 5);
  h.believes(a, 5);
  h.operation(10, 7, OperationType::invoke, "acquire", "L");
  EXPECT_NE(happened(h.build()) & bit(Sometimes::contention), 0u);
}

TEST(Sometimes, AFaultWithoutRecordIsToldByTheRunner) {
  JudgeOptions options;
  options.fault_struck = true;
  EXPECT_EQ(happened(ScriptedHistory().build(), options), bit(Sometimes::fault_struck));
}

}  // namespace
}  // namespace picklock
