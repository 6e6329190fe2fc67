#include "sim/core/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

TraceRecord some_record(testing::Dice& dice) {
  TraceRecord r;
  r.time = dice.between(0, 1'000'000'000);
  r.kind = static_cast<TraceKind>(dice.one_in(3) ? 5 : kJournal | 5);
  r.node = static_cast<std::uint16_t>(dice.between(0, 9));
  r.a = static_cast<std::uint32_t>(dice.bits());
  r.b = dice.bits();
  r.c = dice.bits();
  return r;
}

RC_GTEST_PROP(Trace, LookingOrRecordingDoesNotChangeTheDigest, ()) {
  testing::Dice dice(*rc::gen::arbitrary<std::uint64_t>());
  const auto n = *rc::gen::inRange(0, 1000);
  Trace plain, watched, without_details;
  watched.record_fully(true);
  std::vector<TraceRecord> all, journal;
  for (int i = 0; i < n; ++i) {
    const TraceRecord r = some_record(dice);
    plain.add(r);
    watched.add(r);
    if ((r.kind & kJournal) != 0) without_details.add(r);
    if (dice.one_in(5)) {
      for (Trace* const t : {&plain, &watched, &without_details}) t->cover(r.b);
    }
    all.push_back(r);
    if (r.kind & kJournal) journal.push_back(r);
    if (dice.one_in(7)) (void)watched.digest();
    if (dice.one_in(50)) (void)watched.full();
  }
  RC_ASSERT(plain.digest() == watched.digest());
  RC_ASSERT(plain.digest() == without_details.digest());
  RC_ASSERT(watched.full() == all);
  RC_ASSERT(plain.full().empty());
  RC_ASSERT(std::ranges::equal(plain.journal(), journal));
}

RC_GTEST_PROP(Trace, EveryBitAndTheOrderCount, ()) {
  testing::Dice dice(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<TraceRecord> all;
  while (all.size() < 200) {
    const TraceRecord r = some_record(dice);
    if ((r.kind & kJournal) != 0) all.push_back(r);
  }
  const auto digest_of = [](const std::vector<TraceRecord>& records) {
    Trace t;
    t.reset();
    for (const auto& r : records) t.add(r);
    return t.digest();
  };
  const std::uint64_t digest = digest_of(all);
  auto changed = all;
  TraceRecord& r = changed[static_cast<std::size_t>(dice.between(0, 199))];
  switch (dice.between(0, 5)) {
    case 0:
      r.time ^= std::int64_t{1} << dice.between(0, 62);
      break;
    case 1:
      r.kind ^= static_cast<TraceKind>(1 << dice.between(0, 15));
      break;
    case 2:
      r.node ^= static_cast<std::uint16_t>(1 << dice.between(0, 15));
      break;
    case 3:
      r.a ^= 1u << dice.between(0, 31);
      break;
    case 4:
      r.b ^= std::uint64_t{1} << dice.between(0, 63);
      break;
    default:
      r.c ^= std::uint64_t{1} << dice.between(0, 63);
      break;
  }
  RC_ASSERT(digest_of(changed) != digest);
  auto swapped = all;
  const auto i = static_cast<std::size_t>(dice.between(0, 198));
  std::swap(swapped[i], swapped[i + 1]);
  RC_ASSERT(digest_of(swapped) != digest);
  auto shorter = all;
  shorter.pop_back();
  RC_ASSERT(digest_of(shorter) != digest);
}

RC_GTEST_PROP(Trace, WhatIsCoveredCountsInItsPlace, ()) {
  testing::Dice dice(*rc::gen::arbitrary<std::uint64_t>());
  TraceRecord r = some_record(dice);
  r.kind |= kJournal;
  const std::uint64_t what = dice.bits(), bit = std::uint64_t{1} << dice.between(0, 63);
  const auto digest_of = [&](std::vector<std::uint64_t> before, std::vector<std::uint64_t> after) {
    Trace t;
    t.reset();
    for (const std::uint64_t w : before) t.cover(w);
    t.add(r);
    for (const std::uint64_t w : after) t.cover(w);
    return t.digest();
  };
  const std::uint64_t digest = digest_of({what}, {});
  RC_ASSERT(digest_of({what ^ bit}, {}) != digest);
  RC_ASSERT(digest_of({}, {what}) != digest);
  RC_ASSERT(digest_of({}, {}) != digest);
  RC_ASSERT(digest_of({what, what ^ bit}, {}) != digest_of({what ^ bit, what}, {}));
}

TEST(Trace, GoldenDigest) {
  testing::Dice dice(2026);
  Trace trace;
  trace.reset();
  const std::uint64_t empty = trace.digest();
  for (int i = 0; i < 300; ++i) trace.add(some_record(dice));
  EXPECT_EQ(empty, 0x9e3779b97f4a7c15u);
  EXPECT_EQ(trace.digest(), 0xa3ae3068c40fcfa3u);
  trace.reset();
  EXPECT_EQ(trace.digest(), empty);
}

TEST(Trace, KindsAreDescribedOnceEach) {
  std::set<TraceKind> kinds;
  std::set<std::string_view> names;
  for (const TraceKindInfo& k : trace::core_kinds()) {
    EXPECT_TRUE(kinds.insert(k.kind).second) << k.name;
    EXPECT_TRUE(names.insert(k.name).second) << k.name;
    const int number = k.kind & ~kJournal;
    EXPECT_TRUE(number >= 1 && number <= 63) << k.name;
  }
}

TEST(Hash, GoldenValues) {
  EXPECT_EQ(hash_of("a"), 0x6e789e6aa1b96595u);
  EXPECT_EQ(hash_more(hash_of("a"), ".b"), hash_of("a.b"));
  EXPECT_EQ(hash_bytes(""), 0x1e8685f88b5c6433u);
  EXPECT_EQ(hash_bytes("seventeen bytes!!"), 0x45698819fe219009u);
}

RC_GTEST_PROP(Hash, OfBytesSeesEveryByteAndTheLength, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  RC_ASSERT(hash_bytes(text) == hash_bytes(std::string(text)));
  RC_ASSERT(hash_bytes(text + '\0') != hash_bytes(text));
  if (text.empty()) return;
  auto changed = text;
  const auto i = *rc::gen::inRange<std::size_t>(0, text.size());
  changed[i] = static_cast<char>(changed[i] ^ 1 << *rc::gen::inRange(0, 8));
  RC_ASSERT(hash_bytes(changed) != hash_bytes(text));
}

}  // namespace
}  // namespace picklock
