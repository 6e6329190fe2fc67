#include "checker/properties/deadlock.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace deadlock_test {

constexpr std::int64_t kMs = 1'000'000;

struct Story : ScriptedHistory {
  // Granted and believed in from `from` on, in ms.
  HoldId holds(const std::string& client, const std::string& lock, std::int64_t from, HoldMode mode = HoldMode::write) {
    const HoldId id = hold(client, lock, mode);
    operation((from - 1) * kMs, history_process(client), OperationType::invoke, "acquire", lock, id);
    granted(id, from * kMs, kWithoutEnd);
    believes(id, from * kMs);
    operation(from * kMs, history_process(client), OperationType::ok, "acquire", lock, id);
    return id;
  }
  HoldId waits(const std::string& client, const std::string& lock, std::int64_t from, HoldMode mode = HoldMode::write) {
    const HoldId id = hold(client, lock, mode);
    asks_again(client, lock, id, from);
    return id;
  }
  void asks_again(const std::string& client, const std::string& lock, HoldId id, std::int64_t from) {
    operation(from * kMs, history_process(client), OperationType::invoke, "acquire", lock, id);
  }
  void gives_up(const std::string& client, const std::string& lock, HoldId id, std::int64_t at) {
    operation(at * kMs, history_process(client), OperationType::fail, "acquire", lock, id);
  }
  Finding judged() {
    phase(1000 * kMs, Phase::end);
    history = build();
    return finding_on(Property::deadlock, history, options);
  }
  // One circle closes, lasts so long, and is told so.
  Finding expect_a_circle(std::int64_t lasts_ms, const std::string& told) {
    const Finding v = judged();
    EXPECT_EQ(v.measure, 1);
    EXPECT_EQ(v.beside, lasts_ms * kMs);
    EXPECT_EQ(explain(v, history, options), told);
    return v;
  }
  std::string said() {
    const Finding v = judged();
    return v.verdict == Verdict::violated ? explain(v, history, options) : std::string(name(v.verdict));
  }
  static std::int32_t history_process(const std::string& client) { return client[0] - 'a'; }
  History history;
  JudgeOptions options;
};

//   a  |--x--------------|..y? forever
//   b     |--y-----------|......x? gives up at 400
TEST(Deadlock, TwoLocksInOppositeOrders) {
  Story s;
  s.holds("a", "x", 10);
  s.holds("b", "y", 20);
  s.waits("a", "y", 30);
  const HoldId wanted = s.waits("b", "x", 40);
  s.gives_up("b", "x", wanted, 400);
  s.expect_a_circle(360,
                    "a (hold 1) holds x and waits for y since 30.0 ms, b (hold 2) holds y and waits for x since "
                    "40.0 ms: a circle that closed at 40.0 ms; it ended at 400.0 ms when b gave up waiting for x");
}

TEST(Deadlock, ALeaseThatRunsOutEndsIt) {
  Story s;
  const HoldId a = s.holds("a", "x", 10);
  s.holds("b", "y", 20);
  s.waits("a", "y", 30);
  s.waits("b", "x", 40);
  s.grant(a, 110 * kMs, GrantChange::end);
  const Finding v = s.judged();
  EXPECT_EQ(v.beside, 70 * kMs);
  EXPECT_NE(explain(v, s.history, s.options)
                .find("it ended at 110.0 ms when a (hold 1) lost x as the service no longer named its owner"),
            std::string::npos);
}

TEST(Deadlock, TheSameOrderIsAQueue) {
  Story s;
  s.holds("a", "x", 10);
  s.waits("b", "x", 20);
  s.waits("a", "y", 30);
  EXPECT_EQ(s.said(), "holds") << "a waits for y, which nobody holds";
}

TEST(Deadlock, ALockThatWaitsForItselfUnlessItIsReentrant) {
  const auto said = [](bool reentrant) {
    Story s;
    s.options.reentrant = reentrant;
    const HoldId a = s.holds("a", "x", 10);
    s.asks_again("a", "x", a, 20);
    return s.said();
  };
  EXPECT_EQ(said(true), "holds");
  EXPECT_EQ(said(false),
            "a (hold 1) holds x and waits for x since 20.0 ms: it waits for itself; it lasted to the end of "
            "the run");
}

TEST(Deadlock, AReaderThatWouldBecomeAWriter) {
  Story s;
  s.options.reentrant = true;
  s.holds("a", "x", 10, HoldMode::read);
  s.holds("b", "x", 20, HoldMode::read);
  s.waits("a", "x", 30);
  EXPECT_NE(s.said().find("a (hold 1) holds x as a reader and waits for x since 30.0 ms: it waits for itself"),
            std::string::npos);
  Story down;
  down.options.reentrant = true;
  down.holds("a", "x", 10);
  down.waits("a", "x", 30, HoldMode::read);
  EXPECT_EQ(down.said(), "holds") << "a writer may read";
}

TEST(Deadlock, AMultiLockWaitsForEachOfItsNames) {
  Story s;
  s.holds("a", "x", 10);
  s.holds("b", "y", 20);
  s.waits("a", "z+y", 30);
  s.waits("b", "x", 40);
  EXPECT_NE(s.said().find("a (hold 1) holds x and waits for z+y since 30.0 ms"), std::string::npos);
}

// Half of a multi-lock: granted by the service, while its client still asks for the rest.
struct HalfStory : Story {
  std::vector<HoldId> asks_for_all(const std::string& client, const std::string& all, std::int64_t from) {
    std::vector<HoldId> ids = {hold(client, all)};
    for (const char name : all) {
      if (name != '+') ids.push_back(hold(client, std::string(1, name)));
    }
    asks_again(client, all, ids[0], from);
    return ids;
  }
};

//   a, x+y  |--x--|..y?            gives up at 400
//   b, y+x     |--y--|..x? for ever
TEST(Deadlock, HalvesOfTwoMultiLocks) {
  HalfStory s;
  const auto a = s.asks_for_all("a", "x+y", 10);
  const auto b = s.asks_for_all("b", "y+x", 20);
  s.granted(a[1], 15 * kMs, kWithoutEnd);
  s.granted(b[1], 40 * kMs, kWithoutEnd);
  s.gives_up("a", "x+y", a[0], 400);
  s.grant(a[1], 401 * kMs, GrantChange::released);
  s.expect_a_circle(360,
                    "a (hold 2) holds x and waits for x+y since 10.0 ms, b (hold 5) holds y and waits for y+x since "
                    "20.0 ms: a circle that closed at 40.0 ms; it ended at 400.0 ms when a gave up waiting for x+y");
}

TEST(Deadlock, AMultiLockDoesNotWaitForItsOwnHalf) {
  HalfStory s;
  const auto a = s.asks_for_all("a", "x+y", 10);
  s.granted(a[1], 15 * kMs, kWithoutEnd);
  s.holds("b", "y", 20);
  EXPECT_EQ(s.said(), "holds");
}

TEST(Deadlock, AMultiLockWaitsForNoNameThatItWasGranted) {
  HalfStory s;
  const auto a = s.asks_for_all("a", "x+y", 10);
  s.granted(a[1], 15 * kMs, 100 * kMs);
  s.granted(a[2], 16 * kMs, 120 * kMs);
  const auto b = s.asks_for_all("b", "x+y", 20);
  s.grant(a[1], 100 * kMs, GrantChange::end);  // b takes x before y is free: a has had its turn
  s.granted(b[1], 100 * kMs, kWithoutEnd);
  s.grant(a[2], 120 * kMs, GrantChange::end);
  EXPECT_EQ(s.said(), "holds");
}

// The client gives back a part of x+y while it asks for the rest, and stands in its own way from then on.
TEST(Deadlock, AMultiLockWaitsAgainForANameThatItGaveBack) {
  HalfStory s;
  s.holds("a", "x", 10);
  const HoldId all = s.hold("a", "x+y"), half = s.hold("a", "x");
  s.granted(half, 20 * kMs, kWithoutEnd);
  s.asks_again("a", "x+y", all, 30);
  s.grant(half, 60 * kMs, GrantChange::released);
  s.gives_up("a", "x+y", all, 100);
  const Finding v = s.expect_a_circle(
      40,
      "a (hold 1) holds x and waits for x+y since 30.0 ms: it waits for itself; it ended at 100.0 ms when a gave up "
      "waiting for x+y");
  const std::uint32_t closed = v.witness.events[0];
  EXPECT_TRUE(std::any_of(s.history.grants.begin(), s.history.grants.end(),
                          [&](const GrantEvent& g) { return g.index == closed && g.change == GrantChange::released; }));
}

TEST(Deadlock, AHalfThatWasGivenUpIsNobodys) {
  HalfStory s;
  const auto a = s.asks_for_all("a", "x+y", 10);
  s.granted(a[1], 15 * kMs, kWithoutEnd);
  s.gives_up("a", "x+y", a[0], 20);  // a forgets the half that it was granted
  s.holds("b", "z", 30);
  s.waits("b", "x", 40);
  s.waits("a", "z", 50);
  EXPECT_EQ(s.said(), "holds");
}

TEST(Deadlock, ThreeInACircle) {
  Story s;
  s.holds("a", "x", 10);
  s.holds("b", "y", 20);
  s.holds("c", "z", 25);
  s.waits("c", "x", 30);
  s.waits("b", "z", 40);
  s.waits("a", "y", 50);
  const Finding v = s.judged();
  EXPECT_EQ(v.witness.hold_count, 3);
  EXPECT_EQ(v.witness.holds[0], 1u);
  EXPECT_EQ(v.witness.holds[1], 2u);
  EXPECT_EQ(v.witness.holds[2], 3u);
}

TEST(Deadlock, AnOrphanThatNobodyBelievesInWaitsForNothing) {
  Story s;
  const HoldId orphan = s.waits("a", "x", 10);
  s.granted(orphan, 11 * kMs, kWithoutEnd);  // a never hears of the grant
  EXPECT_EQ(s.said(), "holds");
}

TEST(Deadlock, ACircleOfZeroLengthIsNone) {
  Story s;
  s.holds("a", "x", 10);
  const HoldId b = s.holds("b", "y", 20);
  s.waits("a", "y", 30);
  s.waits("b", "x", 40);
  s.grant(b, 40 * kMs, GrantChange::end);
  EXPECT_EQ(s.said(), "holds");
}

TEST(Deadlock, ANameStandsForItselfAndForItsPartsOnly) {
  Names names;
  const NameId both = names.intern("x+yy"), x = names.intern("x"), y = names.intern("y"), yy = names.intern("yy");
  EXPECT_TRUE(stands_for(names, both, x));
  EXPECT_TRUE(stands_for(names, both, yy));
  EXPECT_TRUE(stands_for(names, both, both));
  EXPECT_FALSE(stands_for(names, both, y));
  EXPECT_FALSE(stands_for(names, x, both));
  EXPECT_FALSE(stands_for(names, kNoName, x));
}

}  // namespace deadlock_test
}  // namespace picklock
