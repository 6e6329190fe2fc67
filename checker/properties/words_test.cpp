#include "checker/properties/words.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

TEST(Words, MillisecondsAreRoundedToWhatMatters) {
  EXPECT_EQ(in_milliseconds(0), "0 ms");
  EXPECT_EQ(in_milliseconds(850), "850 ns");
  EXPECT_EQ(in_milliseconds(12'345), "0.012 ms");
  EXPECT_EQ(in_milliseconds(999'400), "0.999 ms");
  EXPECT_EQ(in_milliseconds(57'300'000), "57.3 ms");
  EXPECT_EQ(in_milliseconds(57'349'999), "57.3 ms");
  EXPECT_EQ(in_milliseconds(57'350'000), "57.4 ms");
  EXPECT_EQ(in_milliseconds(-1'000'000), "-1.0 ms");
  EXPECT_EQ(in_milliseconds(std::numeric_limits<std::int64_t>::min()), "-9223372036854.8 ms");
}

TEST(Words, StoppedTimeIsClippedToTheInterval) {
  ScriptedHistory h;
  h.process("a", 10, ProcessChange::stopped);
  h.process("a", 15, ProcessChange::stopped);
  h.process("a", 20, ProcessChange::continued);
  h.process("b", 22, ProcessChange::stopped);
  h.process("a", 40, ProcessChange::died);
  const NameId a = h.intern("a");
  const History history = h.build();
  EXPECT_EQ(stopped_during(history, a, {0, 100}), 70);
  EXPECT_EQ(stopped_during(history, a, {12, 18}), 6);
  EXPECT_EQ(stopped_during(history, a, {20, 40}), 0);
  EXPECT_EQ(stopped_during(history, a, {15, 45}), 10);
}

TEST(Words, RecordsAreFoundByIndex) {
  ScriptedHistory h;
  const HoldId a = h.hold("a");
  h.believes(a, 5, 7);
  h.granted(a, 6, 9);
  const History history = h.build();
  EXPECT_EQ(find_record(history.beliefs, 2)->time, 7);
  EXPECT_EQ(find_record(history.beliefs, 1), nullptr);
  EXPECT_EQ(find_record(history.beliefs, 3), nullptr);
}

}  // namespace
}  // namespace picklock
