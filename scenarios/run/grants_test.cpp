#include "scenarios/run/grants.hpp"

#include <gtest/gtest.h>

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
  GrantJudge judge_;
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

}  // namespace
}  // namespace picklock
