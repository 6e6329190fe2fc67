#include "scenarios/grants/redis_grants.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/core/mix.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/redis/outputs.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMs = 1'000'000;

class Judge {
 public:
  explicit Judge(Ownership rule = Ownership::redis_key, std::optional<Duration> lease = milliseconds(100))
      : judge_(rule, hash_of("lock"), lease, {{0, false}}) {}

  void change(std::int64_t ms, HoldId by, KeyChange what, std::int64_t ttl_ms, std::string_view key = "lock") {
    see({ms * kMs, trace::redis_key_changed, 1, by, hash_of(key), trace::redis_change(static_cast<std::uint8_t>(what), ttl_ms)}, ms);
  }
  void stamp(std::int64_t ms, HoldId by, KeyChange what, std::int64_t stamp_ms) {
    see({ms * kMs, trace::redis_key_value, 1, by, hash_of("lock"), static_cast<std::uint64_t>(stamp_ms)}, ms);
    change(ms, by, what, -1);
  }
  void restart(std::int64_t ms, bool with_the_key) {
    see({ms * kMs, trace::redis_loaded, 1, with_the_key ? 1u : 0u, 0, 0}, ms);
    if (with_the_key) see({ms * kMs, trace::redis_key_loaded, 1, 0, hash_of("lock"), trace::redis_change(0, 50)}, ms);
  }
  // "begin 1 until 110; released 1 by 1"
  std::string said() const {
    constexpr std::string_view kWords[] = {"begin", "extend", "end", "released", "forced", "wrong-release", "wrong-renewal"};
    std::string all;
    for (const GrantEvent& g : grants_) {
      if (!all.empty()) all += "; ";
      all += std::string(kWords[static_cast<int>(g.change)]) + " " + std::to_string(g.hold);
      if (g.by != g.hold) all += " by " + std::to_string(g.by);
      if (g.until == INT64_MAX) all += " for ever";
      if (g.until != kNoTime && g.until != INT64_MAX) all += " until " + std::to_string(g.until / kMs);
    }
    return all;
  }

 private:
  void see(const TraceRecord& r, std::int64_t wall_ms) { judge_.see(r, {r.a, false, {wall_ms * kMs}}, grants_, index_); }
  RedisGrants judge_;
  std::vector<GrantEvent> grants_;
  std::uint32_t index_ = 0;
};

TEST(Grants, SetRenewAndReleaseByTheOwner) {
  Judge j;
  j.change(10, 1, KeyChange::set, 100);
  j.change(50, 1, KeyChange::ttl_set, 100);
  j.change(60, 1, KeyChange::deleted, -1);
  EXPECT_EQ(j.said(), "begin 1 until 110; extend 1 until 150; released 1");
}

TEST(Grants, OtherKeysDoNotMatter) {
  Judge j;
  j.change(10, 1, KeyChange::set, -1, "lock:token");
  j.change(10, 1, KeyChange::changed, -1, "lock:token");
  EXPECT_EQ(j.said(), "");
}

TEST(Grants, AKeyWithoutExpiryIsPromisedForEver) {
  Judge j;
  j.change(10, 1, KeyChange::set, -1);
  EXPECT_EQ(j.said(), "begin 1 for ever");
}

TEST(Grants, CommandsOfOthersAreWrong) {
  Judge j;
  j.change(10, 1, KeyChange::set, 100);
  j.change(20, 2, KeyChange::ttl_set, 100);
  j.change(30, 2, KeyChange::deleted, -1);
  EXPECT_EQ(j.said(), "begin 1 until 110; wrong-renewal 1 by 2 until 120; extend 1 by 2 until 120; wrong-release 1 by 2; end 1 by 2");
}

TEST(Grants, TheSameClientsOtherHoldCountsAsAnother) {
  Judge j;
  j.change(10, 7, KeyChange::set, 100);
  j.change(120, 0, KeyChange::expired, -1);
  j.change(130, 8, KeyChange::set, 100);
  j.change(140, 7, KeyChange::deleted, -1);
  EXPECT_EQ(j.said(), "begin 7 until 110; end 7 by 0; begin 8 until 230; wrong-release 8 by 7; end 8 by 7");
}

TEST(Grants, ARestartWithoutTheKeyEndsTheOwnershipAndNotThePromise) {
  Judge lost;
  lost.change(10, 1, KeyChange::set, 100);
  lost.restart(20, false);
  lost.change(30, 2, KeyChange::set, 100);
  EXPECT_EQ(lost.said(), "begin 1 until 110; end 1 by 0; begin 2 until 130");
  Judge kept;
  kept.change(10, 1, KeyChange::set, 100);
  kept.restart(20, true);
  kept.change(40, 1, KeyChange::deleted, -1);
  EXPECT_EQ(kept.said(), "begin 1 until 110; released 1");
}

TEST(Grants, AGetsetOverAnExpiredStampTakesTheLockOver) {
  Judge j(Ownership::redis_stamp);
  j.stamp(10, 1, KeyChange::set, 110);
  j.stamp(110, 2, KeyChange::overwritten, 210);
  EXPECT_EQ(j.said(), "begin 1 until 110; end 1 by 2; begin 2 until 210") << "at its stamp, a stamp has expired";
}

TEST(Grants, AGetsetOverAValidStampProlongsItsOwner) {
  Judge j(Ownership::redis_stamp);
  j.stamp(10, 1, KeyChange::set, 110);
  j.stamp(109, 2, KeyChange::overwritten, 209);
  EXPECT_EQ(j.said(), "begin 1 until 110; wrong-renewal 1 by 2 until 209; extend 1 by 2 until 209");
}

TEST(Grants, ClearingAStaleStampAwayTakesNothing) {
  Judge stale(Ownership::redis_stamp);
  stale.stamp(10, 1, KeyChange::set, 110);
  stale.change(111, 2, KeyChange::deleted, -1);
  EXPECT_EQ(stale.said(), "begin 1 until 110; end 1 by 2");
  Judge valid(Ownership::redis_stamp);
  valid.stamp(10, 1, KeyChange::set, 110);
  valid.change(100, 2, KeyChange::deleted, -1);
  EXPECT_EQ(valid.said(), "begin 1 until 110; wrong-release 1 by 2; end 1 by 2");
}

// --- several servers -------------------------------------------------------------------------------

// Of servers by number, from 1 on, which is their node.
class Servers {
 public:
  Servers(Ownership rule, std::vector<RedisPlace> places)
      : judge_(rule, hash_of("lock"), milliseconds(100), std::move(places)) {}

  void change(std::int64_t ms, std::uint16_t server, HoldId by, KeyChange what, std::int64_t ttl_ms = -1, bool force = false) {
    key(ms, server, by, "lock", what, ttl_ms, force);
  }
  void key(std::int64_t ms, std::uint16_t server, HoldId by, std::string_view key, KeyChange what, std::int64_t ttl_ms,
           bool force = false) {
    see({ms * kMs, trace::redis_key_changed, server, by, hash_of(key),
         trace::redis_change(static_cast<std::uint8_t>(what), ttl_ms)}, force);
  }
  void number(std::int64_t ms, std::uint16_t server, HoldId by, std::string_view field, std::int64_t value) {
    see({ms * kMs, trace::redis_field_number, server, by, hash_of(field), static_cast<std::uint64_t>(value)});
  }
  void removed(std::int64_t ms, std::uint16_t server, HoldId by, std::string_view field) {
    see({ms * kMs, trace::redis_field_removed, server, by, hash_of(field), 0});
  }
  void role(std::int64_t ms, std::uint16_t server, bool master) {
    see({ms * kMs, trace::redis_role, server, master ? 1u : 2u, 0, 0});
  }
  void resynced(std::int64_t ms, std::uint16_t server, std::uint32_t keys) {
    see({ms * kMs, trace::redis_resynced, server, keys, 0, 0});
    loaded(ms, server, keys);
  }
  void loaded(std::int64_t ms, std::uint16_t server, std::uint32_t keys) {
    see({ms * kMs, trace::redis_loaded, server, keys, 0, 0});
    for (std::uint32_t i = 0; i < keys; ++i) {
      see({ms * kMs, trace::redis_key_loaded, server, 0, hash_of(i == 0 ? "lock" : "other"), trace::redis_change(0, 50)});
    }
  }
  void serves(std::int64_t ms, std::uint16_t server, bool yes) {
    see({ms * kMs, trace::redis_serves, server, yes ? 1u : 0u, 0, 0});
  }
  void power_lost(std::int64_t ms, std::uint16_t server) { see({ms * kMs, trace::power_lost, server, 0, 0, 0}); }
  void restart(std::int64_t ms, std::uint16_t server) { see({ms * kMs, trace::redis_loaded, server, 0, 0, 0}); }
  std::string said() const {
    constexpr std::string_view kWords[] = {"begin", "extend", "end", "released", "forced", "wrong-release", "wrong-renewal"};
    std::string all;
    for (const GrantEvent& g : grants_) {
      if (!all.empty()) all += "; ";
      all += std::string(kWords[static_cast<int>(g.change)]) + " " + std::to_string(g.hold) + " at " + std::to_string(g.time / kMs);
      if (g.until == INT64_MAX) all += " for ever";
      if (g.until != kNoTime && g.until != INT64_MAX) all += " until " + std::to_string(g.until / kMs);
    }
    return all;
  }
  const std::vector<GrantEvent>& grants() const { return grants_; }

 private:
  void see(const TraceRecord& r, bool force = false) { judge_.see(r, {r.a, force, {r.time}}, grants_, index_); }
  RedisGrants judge_;
  std::vector<GrantEvent> grants_;
  std::uint32_t index_ = 0;
};

std::vector<RedisPlace> independent(std::uint32_t n) {
  std::vector<RedisPlace> all;
  for (std::uint32_t g = 0; g < n; ++g) all.push_back({g, false});
  return all;
}

TEST(Majority, OwnsFromTheInstantOnAtWhichMoreThanHalfNameIt) {
  Servers s(Ownership::redis_key, independent(5));
  s.change(1, 1, 7, KeyChange::set, 100);
  s.change(2, 2, 7, KeyChange::set, 100);
  EXPECT_EQ(s.said(), "");
  s.change(3, 3, 7, KeyChange::set, 100);
  EXPECT_EQ(s.said(), "begin 7 at 3 until 101") << "three promise until then, two until later";
  s.change(4, 4, 7, KeyChange::set, 100);
  EXPECT_EQ(s.said(), "begin 7 at 3 until 101; extend 7 at 4 until 102");
}

TEST(Majority, AReleaseEndsThePromiseOnceTooFewAreLeftToPromise) {
  Servers s(Ownership::redis_key, independent(3));
  for (std::uint16_t n = 1; n <= 3; ++n) s.change(n, n, 7, KeyChange::set, 100);
  s.change(50, 1, 7, KeyChange::deleted);
  s.change(51, 2, 7, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 2 until 101; extend 7 at 3 until 102; released 7 at 51");
}

TEST(Majority, AServerThatForgetsLeavesThePromise) {
  Servers s(Ownership::redis_key, independent(5));
  for (std::uint16_t n = 1; n <= 3; ++n) s.change(n, n, 7, KeyChange::set, 100);
  s.restart(20, 3);
  for (std::uint16_t n = 3; n <= 5; ++n) s.change(20 + n, n, 8, KeyChange::set, 100);
  EXPECT_EQ(s.said(), "begin 7 at 3 until 101; end 7 at 20; begin 8 at 25 until 123") << "a double grant, to the property";
}

TEST(Majority, AWrongReleaseOfAMinorityIsAMarkAndEndsNothing) {
  Servers s(Ownership::redis_key, independent(3));
  for (std::uint16_t n = 1; n <= 3; ++n) s.change(n, n, 7, KeyChange::set, 100);
  s.change(30, 1, 8, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 2 until 101; extend 7 at 3 until 102; wrong-release 7 at 30");
}

// The rule once more, said as plainly as possible: whoever more than half of the servers name.
TEST(Majority, AgreesWithCountingAtEveryInstant) {
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  int owners_seen = 0;
  for (int round = 0; round < 300; ++round) {
    const auto servers = static_cast<std::uint32_t>(3 + 2 * draw(2));
    Servers s(Ownership::redis_key, independent(servers));
    std::vector<HoldId> names(servers + 1, kNoHold);
    for (std::int64_t t = 1; t <= 60; ++t) {
      const auto n = static_cast<std::uint16_t>(1 + draw(servers));
      const auto by = static_cast<HoldId>(1 + draw(3));
      if (draw(6) == 0) {
        s.restart(t, n);
        names[n] = kNoHold;
      } else if (names[n] == kNoHold) {
        s.change(t, n, by, KeyChange::set, 1000);
        names[n] = by;
      } else if (draw(2) == 0) {
        s.change(t, n, by, KeyChange::deleted);
        names[n] = kNoHold;
      } else {
        s.change(t, n, kNoHold, KeyChange::expired);
        names[n] = kNoHold;
      }
      HoldId named = kNoHold;
      for (HoldId h = 1; h <= 3; ++h) {
        if (std::count(names.begin() + 1, names.end(), h) * 2 > static_cast<std::ptrdiff_t>(servers)) named = h;
      }
      HoldId owner = kNoHold;
      for (const GrantEvent& g : s.grants()) {
        if (g.change == GrantChange::begin) owner = g.hold;
        const bool ends = g.change == GrantChange::end || g.change == GrantChange::released;
        if (ends && g.hold == owner) owner = kNoHold;
      }
      owners_seen += owner != kNoHold;
      ASSERT_EQ(owner, named) << "round " << round << ", at " << t << ": " << s.said();
    }
  }
  EXPECT_GT(owners_seen, 1000);
}

TEST(Replicas, ACopyCountsFromItsPromotionOn) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.change(11, 2, 7, KeyChange::set, 99);  // from the stream
  s.role(50, 2, true);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110") << "named by both masters now, promised as before";
  s.role(60, 1, false);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110") << "the new master still names it";
  s.change(80, 2, 7, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; released 7 at 80");
}

TEST(Replicas, ALockThatTheReplicaHadNotHeardOfIsGrantedTwice) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.role(50, 2, true);
  s.change(60, 2, 8, KeyChange::set, 100);
  s.role(70, 1, false);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; begin 8 at 60 until 160; end 7 at 70") << "its data are discarded, its promise is not";
}

TEST(Replicas, ADelLostInFailoverBringsBackWhoHadReleased) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.change(11, 2, 7, KeyChange::set, 99);
  s.change(20, 1, 7, KeyChange::deleted);
  s.role(30, 2, true);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; released 7 at 20; begin 7 at 30") << "named again, and promised nothing";
}

TEST(Replicas, ADeadMasterNamesNobody) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.change(11, 2, 7, KeyChange::set, 99);
  s.power_lost(20, 1);
  s.role(30, 2, true);
  s.change(40, 2, 7, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; end 7 at 20; begin 7 at 30 until 110; released 7 at 40");
}

TEST(Majority, AServerThatComesBackWithItsDataNamesItsOwnerAgain) {
  Servers s(Ownership::redis_key, independent(3));
  s.change(1, 1, 7, KeyChange::set, 100);
  s.change(2, 2, 7, KeyChange::set, 100);
  s.power_lost(20, 2);
  s.loaded(30, 2, 1);
  s.change(40, 1, 7, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 2 until 101; end 7 at 20; begin 7 at 30 until 101; released 7 at 40");
}

TEST(Replicas, AReplicaThatIsResynchronizedNamesWhomItsMasterNames) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.resynced(20, 2, 2);
  s.role(50, 2, true);
  s.role(51, 1, false);
  s.change(60, 2, 7, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; released 7 at 60");
}

// --- a hash ----------------------------------------------------------------------------------------

TEST(Fields, AReentrantLockIsReleasedByItsLastDecrement) {
  Servers s(Ownership::redis_fields, {{0, false}});
  s.number(10, 1, 7, "uuid:1", 1);
  s.change(10, 1, 7, KeyChange::set);
  s.change(10, 1, 7, KeyChange::ttl_set, 100);
  s.number(20, 1, 7, "uuid:1", 2);
  s.change(20, 1, 7, KeyChange::changed, 90);
  s.number(30, 1, 7, "uuid:1", 1);
  s.change(30, 1, 7, KeyChange::decremented, 80);
  s.change(40, 1, 7, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 10 for ever; extend 7 at 10 until 110; released 7 at 40");
}

TEST(Fields, ReadersOwnTogetherAndEachReleasesItsOwn) {
  Servers s(Ownership::redis_fields, {{0, false}});
  s.number(10, 1, 7, "uuid:1", 1);
  s.change(10, 1, 7, KeyChange::set, 100);
  s.number(20, 1, 8, "uuid:2", 1);
  s.change(20, 1, 8, KeyChange::changed, 90);
  s.change(20, 1, 8, KeyChange::ttl_set, 100);
  s.removed(30, 1, 7, "uuid:1");
  s.change(30, 1, 7, KeyChange::changed, 90);
  s.change(40, 1, kNoHold, KeyChange::expired);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; begin 8 at 20 until 110; extend 7 at 20 until 120; extend 8 at 20 until 120; "
                      "released 7 at 30; end 8 at 40");
}

TEST(Fields, WhoDecrementsOrRemovesAnothersDoesWrong) {
  Servers s(Ownership::redis_fields, {{0, false}});
  s.number(10, 1, 7, "uuid:1", 2);
  s.change(10, 1, 7, KeyChange::set, 100);
  s.number(20, 1, 8, "uuid:1", 1);
  s.change(20, 1, 8, KeyChange::decremented, 90);
  s.change(30, 1, 8, KeyChange::ttl_set, 100);
  s.removed(40, 1, 8, "uuid:1");
  s.change(40, 1, 8, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; wrong-release 7 at 20; wrong-renewal 7 at 30 until 130; extend 7 at 30 until 130; "
                      "wrong-release 7 at 40; end 7 at 40");
}

// Two readers, each timed by a key of its own, as the read-write lock's script makes them.
class TimedReaders {
 public:
  TimedReaders() : s(Ownership::redis_timed_fields, {{0, false}}) {
    enters(10, 7, "uuid:1", 1);
    enters(20, 8, "uuid:2", 1);
  }
  void enters(std::int64_t ms, HoldId by, const std::string& field, std::int64_t count) {
    s.number(ms, 1, by, field, count);
    s.change(ms, 1, by, KeyChange::changed, 90);
    s.key(ms, 1, by, field + ":" + std::to_string(count), KeyChange::set, 100);
    s.change(ms, 1, by, KeyChange::ttl_set, 100);
  }
  Servers s;
};

TEST(TimedFields, AReaderIsPromisedUntilItsOwnTimer) {
  TimedReaders r;
  r.s.change(60, 1, 8, KeyChange::ttl_set, 100);
  r.s.key(60, 1, 8, "uuid:2:1", KeyChange::ttl_set, 100);
  EXPECT_EQ(r.s.said(), "begin 7 at 10 until 100; extend 7 at 10 until 110; begin 8 at 20 until 110; extend 8 at 20 until 120; "
                        "extend 8 at 60 until 160") << "that the hash lives on promises 7 nothing";
}

TEST(TimedFields, WhoClearsAwayAReaderWhoseTimeIsOverTakesNothing) {
  TimedReaders late, early;
  late.s.change(110, 1, 8, KeyChange::deleted);
  EXPECT_TRUE(late.s.said().ends_with("; end 7 at 110; released 8 at 110")) << late.s.said();
  early.s.change(109, 1, 8, KeyChange::deleted);
  EXPECT_TRUE(early.s.said().ends_with("; wrong-release 7 at 109; end 7 at 109; released 8 at 109")) << early.s.said();
}

TEST(TimedFields, WhoProlongsAnothersTimerDoesWrong) {
  TimedReaders r;
  r.s.key(60, 1, 8, "uuid:1:1", KeyChange::ttl_set, 100);
  EXPECT_TRUE(r.s.said().ends_with("; wrong-renewal 7 at 60 until 160; extend 7 at 60 until 160")) << r.s.said();
}

TEST(TimedFields, TheLastOfSeveralTimersCounts) {
  TimedReaders r;
  r.enters(40, 7, "uuid:1", 2);
  r.s.number(50, 1, 7, "uuid:1", 1);
  r.s.change(50, 1, 7, KeyChange::decremented, 90);
  r.s.key(50, 1, 7, "uuid:1:2", KeyChange::deleted, -1);
  r.s.key(50, 1, 7, "latch", KeyChange::set, 300);
  r.s.change(111, 1, 8, KeyChange::deleted);
  EXPECT_TRUE(r.s.said().ends_with("; extend 7 at 40 until 140; extend 7 at 50 until 110; end 7 at 111; released 8 at 111")) << r.s.said();
}

TEST(TimedFields, AWriterHasNoTimerAndIsPromisedByTheHash) {
  Servers s(Ownership::redis_timed_fields, {{0, false}});
  s.number(10, 1, 7, "uuid:1:write", 1);
  s.change(10, 1, 7, KeyChange::changed, -1);
  s.change(10, 1, 7, KeyChange::ttl_set, 100);
  s.key(20, 1, 8, "something", KeyChange::set, 500);
  s.change(50, 1, 8, KeyChange::deleted);
  EXPECT_EQ(s.said(), "begin 7 at 10 for ever; extend 7 at 10 until 110; wrong-release 7 at 50; end 7 at 50");
}

TEST(Fields, TheModeOwnsNothing) {
  Servers s(Ownership::redis_fields, {{0, false}});
  s.number(10, 1, 7, "mode", 0);
  s.change(10, 1, 7, KeyChange::set);
  EXPECT_EQ(s.said(), "");
}

TEST(Force, EndsWhateverHoldThereIsAndSaysSo) {
  Servers key(Ownership::redis_key, {{0, false}});
  key.change(10, 1, 7, KeyChange::set, 100);
  key.change(20, 1, 9, KeyChange::deleted, -1, true);
  EXPECT_EQ(key.said(), "begin 7 at 10 until 110; forced 7 at 20");
  Servers fields(Ownership::redis_fields, {{0, false}});
  fields.number(10, 1, 7, "uuid:1", 1);
  fields.change(10, 1, 7, KeyChange::set, 100);
  fields.change(20, 1, 9, KeyChange::deleted, -1, true);
  EXPECT_EQ(fields.said(), "begin 7 at 10 until 110; forced 7 at 20");
}

// --- clusters ----------------------------------------------------------------------------------------

// A master that refuses every command names nobody; its promise stays, and the next owner is a double grant.
TEST(Clusters, AMasterThatRefusesNamesNobody) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.serves(30, 1, false);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; end 7 at 30");
  s.role(50, 2, true);
  s.change(60, 2, 8, KeyChange::set, 100);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; end 7 at 30; begin 8 at 60 until 160");
}

TEST(Clusters, OneThatAnswersAgainNamesWhomItDid) {
  Servers s(Ownership::redis_key, {{0, false}, {0, true}});
  s.change(10, 1, 7, KeyChange::set, 100);
  s.serves(30, 1, false);
  s.serves(40, 1, true);
  EXPECT_EQ(s.said(), "begin 7 at 10 until 110; end 7 at 30; begin 7 at 40 until 110");
}

TEST(Clusters, AnotherShardHasNoSay) {
  Servers s(Ownership::redis_key, {{0, false, true}, {0, false}});
  s.change(10, 1, 7, KeyChange::set, 100);
  EXPECT_EQ(s.said(), "");
  s.change(20, 2, 8, KeyChange::set, 100);
  s.serves(30, 1, false);
  EXPECT_EQ(s.said(), "begin 8 at 20 until 120");
}

}  // namespace
}  // namespace picklock
