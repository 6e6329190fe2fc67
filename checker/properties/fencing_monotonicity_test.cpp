#include "checker/properties/fencing_monotonicity.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

Finding judged(ScriptedHistory& h) { return finding_on(Property::fencing_monotonicity, h.build()); }

ScriptedHistory two(std::int64_t first, std::int64_t second, HoldMode first_mode = HoldMode::write,
                    HoldMode second_mode = HoldMode::write) {
  ScriptedHistory h;
  h.granted(h.hold("a", "L", first_mode, first), 10, 50);
  h.granted(h.hold("b", "L", second_mode, second), 60, 90);
  return h;
}

TEST(Fencing, TokensGrow) {
  auto grow = two(7, 9);
  EXPECT_EQ(judged(grow).verdict, Verdict::holds);
  auto equal = two(7, 7);
  EXPECT_EQ(judged(equal).verdict, Verdict::violated);
  auto shrink = two(7, 6);
  const History history = shrink.build();
  const Finding v = finding_on(Property::fencing_monotonicity, history);
  EXPECT_EQ(explain(v, history),
            "L went to a (hold 1) with token 7 and later to b (hold 2) with token 6, which is not "
            "greater");
}

// a, 1  |----)                  its release is lost
// a, 2       [-------)          asks again, and is told that the key which it has is the first
// b                       |---
TEST(Fencing, WhoTakesOverAPlaceHasItsToken) {
  for (const std::int64_t later : {7, 6}) {
    ScriptedHistory h;
    const HoldId one = h.hold("a", "L", HoldMode::write, 7), two = h.hold("a", "L", HoldMode::write, later);
    const HoldId other = h.hold("b", "L", HoldMode::write, 8);
    h.granted(one, 10, 100);
    h.grant(one, 20, GrantChange::released, kNoTime, two);
    h.granted(two, 20, 100);
    h.grant(two, 30, GrantChange::released);
    h.granted(other, 40, 100);
    EXPECT_EQ(judged(h).verdict, later == 7 ? Verdict::holds : Verdict::violated);
  }
  auto not_taken_over = two(7, 7);
  EXPECT_EQ(judged(not_taken_over).verdict, Verdict::violated);
}

TEST(Fencing, ReadersAreUnorderedAmongThemselvesOnly) {
  auto readers = two(7, 7, HoldMode::read, HoldMode::read);
  EXPECT_EQ(judged(readers).verdict, Verdict::holds);
  auto reader_then_writer = two(7, 7, HoldMode::read, HoldMode::write);
  EXPECT_EQ(judged(reader_then_writer).verdict, Verdict::violated);
  auto writer_then_reader = two(7, 7, HoldMode::write, HoldMode::read);
  EXPECT_EQ(judged(writer_then_reader).verdict, Verdict::violated);
}

TEST(Fencing, OtherLocksCountOnTheirOwn) {
  ScriptedHistory h;
  h.granted(h.hold("a", "L", HoldMode::write, 7), 10, 50);
  h.granted(h.hold("b", "M", HoldMode::write, 1), 60, 90);
  h.granted(h.hold("c", "M", HoldMode::write, 2), 100, 190);
  EXPECT_EQ(judged(h).verdict, Verdict::holds);
}

TEST(Fencing, WithinAHoldTokensNeverDecreaseAndTheNewestCounts) {
  ScriptedHistory h;
  const HoldId a = h.hold("a"), b = h.hold("b");
  h.granted(a, 10, 50);
  h.granted(b, 60, 90);
  const auto issue = [&](std::int64_t time, HoldId hold, std::int64_t token) {
    h.operation(time, static_cast<int>(hold), OperationType::invoke, "acquire", "L", hold);
    h.operation(time, static_cast<int>(hold), OperationType::ok, "acquire", "L", hold, token);
  };
  issue(12, a, 5);
  issue(13, a, 5);
  issue(14, a, 6);
  ScriptedHistory decreasing = h;
  issue(70, b, 7);
  EXPECT_EQ(judged(h).verdict, Verdict::holds);
  decreasing.operation(15, 1, OperationType::invoke, "extend", "L", a);
  decreasing.operation(15, 1, OperationType::ok, "extend", "L", a, 4);
  const History history = decreasing.build();
  const Finding v = finding_on(Property::fencing_monotonicity, history);
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.witness.hold_count, 1);
  EXPECT_NE(explain(v, history).find("got token 6"), std::string::npos);
}

TEST(Fencing, WithoutTokensItDoesNotApply) {
  auto none = two(kNoToken, kNoToken);
  EXPECT_EQ(judged(none).reason, Reason::needs_tokens);
}

// process 0  |--acquire 5--|
// process 1         |--acquire 4--|       concurrent: either order is right
// process 2                           |--acquire t--|
TEST(Fencing, AForeignHistoryOrdersByReturnAndInvocation) {
  for (const std::int64_t third : {4, 5, 6}) {
    ScriptedHistory h;
    h.foreign();
    h.operation(0, 0, OperationType::invoke, "acquire");
    h.operation(1, 1, OperationType::invoke, "acquire");
    h.operation(2, 0, OperationType::ok, "acquire", "", kNoHold, 5);
    h.operation(3, 1, OperationType::ok, "acquire", "", kNoHold, 4);
    h.operation(4, 2, OperationType::invoke, "acquire");
    h.operation(5, 2, OperationType::ok, "acquire", "", kNoHold, third);
    const History history = h.build();
    const Finding v = finding_on(Property::fencing_monotonicity, history);
    EXPECT_EQ(v.verdict == Verdict::violated, third <= 5) << third;
    if (third <= 5) {
      EXPECT_NE(explain(v, history).find("token"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace picklock
