// Reseeds: a run that branches off draws the rest of its running lengths anew, by the same law.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "algorithms/redis/set_nx_px.hpp"
#include "base/hash.hpp"
#include "base/law_tail.hpp"
#include "faults/delay.hpp"
#include "scenarios/run/run_lab.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace reseed_test {

const Law kLong = Law::exponential(milliseconds(20).ns, seconds(1).ns);

Scenario calm() {
  Scenario s;
  s.name = "test";
  SetNxPxOptions lock;
  lock.ttl = seconds(20);
  s.lock.options = AnyOptions::of(lock);
  ClientSpec a;
  a.name = "a";
  a.hold = Law::constant(milliseconds(10));
  s.clients = {a};
  return s;
}

Scenario with_pause() {
  Scenario s = calm();
  s.faults = {pause("a", "a enters", Duration{})};
  s.faults[0].options.as<PauseOptions>().lasts = kLong;
  return s;
}
Scenario with_instant() {
  Scenario s = calm();
  s.faults = {pause("a", "", milliseconds(1))};
  s.faults[0].trigger.at = kLong;
  return s;
}
Scenario with_hold() {
  Scenario s = calm();
  s.clients[0].hold = kLong;
  return s;
}
// A hold that is interrupted: only what it has worked counts.
Scenario with_interrupted_hold() {
  Scenario s = with_hold();
  s.faults = {pause("a", "", milliseconds(7))};
  s.faults[0].trigger.at = Law(milliseconds(5));
  return s;
}
Scenario with_latency() {
  Scenario s = calm();
  s.links = {{"a", "redis", kLong}};
  return s;
}
Scenario with_delay() {
  Scenario s = calm();
  DelayOptions delay;
  delay.from = "a";
  delay.to = "redis";
  delay.by = kLong;
  s.faults = {fault("delay", "", delay)};
  return s;
}

struct Length {
  const char* what;
  Scenario (*scenario)();
  std::string draw;
};
const std::vector<Length>& lengths() {
  static const std::vector<Length> kAll = {{"pause", with_pause, "world/fault@world#0.2"},
                                           {"instant", with_instant, "world/fault@world#0.1"},
                                           {"hold", with_hold, "a/hold@a#2.1"},
                                           {"interrupted hold", with_interrupted_hold, "a/hold@a#2.1"},
                                           {"latency", with_latency, "a>redis/latency@a#1.1"},
                                           {"delay", with_delay, "a>redis/fault@a#1.1"}};
  return kAll;
}

struct Value {
  std::int64_t first = 0, last = 0;  // value as drawn first, and its value in the end
};

Value value_of(Runner& runner, const std::string& draw) {
  Value v;
  bool any = false;
  for (const RecordedDraw& r : runner.record().draws) {
    if (r.name.substr(0, r.name.find('|')) != draw) continue;
    if (!std::exchange(any, true)) v.first = r.value;
    v.last = r.value;
  }
  EXPECT_TRUE(any) << draw;
  return v;
}

DrawChanges branches(std::uint64_t seed) {
  DrawChanges changes;
  for (const int ms : {3, 9, 20, 33, 60}) {
    changes.reseeds.push_back(
        {milliseconds(ms), static_cast<std::int64_t>(mix(seed, static_cast<std::uint64_t>(ms)) >> 1)});
  }
  return changes;
}

TEST(Reseed, PiecesHaveTheLawOfTheWhole) {
  constexpr std::uint64_t kRuns = 4000;
  for (const Length& length : lengths()) {
    const auto runner = compile(length.scenario());
    ASSERT_NE(runner, nullptr);
    std::map<int, std::uint64_t> above;
    std::uint64_t changed = 0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      ASSERT_EQ(runner->run(seed, {.full_trace = false, .draws = true}, branches(seed)).error, "");
      const Value v = value_of(*runner, length.draw);
      changed += v.first != v.last;
      for (const int ms : {1, 10, 30, 60, 90}) above[ms] += v.last > milliseconds(ms).ns;
    }
    EXPECT_GT(changed, kRuns / 2) << length.what << ": sometimes: it was drawn again";
    for (const auto& [ms, count] : above) {
      const double p = std::ldexp(static_cast<double>(patterns_above(kLong, milliseconds(ms).ns)), -64);
      EXPECT_NEAR(static_cast<double>(count), p * kRuns, 5 * std::sqrt(p * (1 - p) * kRuns))
          << length.what << " " << ms;
    }
  }
}

TEST(Reseed, WhatIsOverStaysAsItWas) {
  for (const Length& length : lengths()) {
    const auto runner = compile(length.scenario());
    std::uint64_t over = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      runner->run(seed, {.full_trace = false, .draws = true}, branches(seed));
      const Value v = value_of(*runner, length.draw);
      if (v.first > milliseconds(2).ns) continue;  // a start before the first branch, with all that comes ahead of it
      ++over;
      EXPECT_EQ(v.last, v.first) << length.what;
    }
    EXPECT_GT(over, 5u);
  }
}

// The value that is drawn in the end is the one that happens.
TEST(Reseed, LengthsThatAreDrawnAgainAreWhatHappens) {
  const auto runner = compile(with_pause());
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::int64_t happened =
        runner->run(seed, {.full_trace = false, .draws = true}, branches(seed)).executed.pause_ns;
    EXPECT_EQ(happened, value_of(*runner, "world/fault@world#0.2").last) << seed;
  }
}

TEST(Reseed, TheBrokenTwinKeepsLengthsAsTheyWereDrawn) {
  for (const Length& length : lengths()) {
    const auto runner = compile(length.scenario());
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      DrawChanges changes = branches(seed);
      changes.redraws_lengths = false;
      runner->run(seed, {.full_trace = false, .draws = true}, changes);
      const Value v = value_of(*runner, length.draw);
      EXPECT_EQ(v.last, v.first) << length.what;
    }
  }
}

TEST(Reseed, ChangesOfARunAreThoseOfAScenario) {
  for (const Length& length : lengths()) {
    Scenario s = length.scenario();
    const auto plain = compile(s);
    s.reseeds = branches(5).reseeds;
    s.overrides = {{length.draw, milliseconds(40).ns}};
    const auto said = compile(s);
    DrawChanges changes = branches(5);
    changes.overrides = s.overrides;
    const std::uint64_t with_changes = plain->run(5, {}, changes).digest;
    EXPECT_EQ(with_changes, said->run(5).digest) << length.what;
    EXPECT_NE(with_changes, plain->run(5).digest) << length.what;
  }
}

// A pinned draw has its value under every seed, so a reseed does not change it; the draw at a reseed can be pinned too.
TEST(Reseed, PinnedLengthsAreNotDrawnAgain) {
  const auto runner = compile(with_pause());
  DrawChanges changes = branches(5);
  changes.overrides = {{"world/fault@world#0.2", milliseconds(40).ns}};
  EXPECT_EQ(runner->run(5, {}, changes).executed.pause_ns, milliseconds(40).ns);
  changes.overrides.push_back({"world/fault@world#0.2|20000000", milliseconds(90).ns});
  EXPECT_EQ(runner->run(5, {}, changes).executed.pause_ns, milliseconds(90).ns);
}

}  // namespace reseed_test
}  // namespace picklock
