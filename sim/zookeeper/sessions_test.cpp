#include "sim/zookeeper/sessions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/zookeeper/tree_changes.hpp"

namespace picklock {
namespace {

using Sessions = std::vector<std::int64_t>;

TEST(ZooSessions, TheTimeoutIsTwoToTwentyTicks) {
  EXPECT_EQ(zoo_negotiated_timeout_ms(1, 2000), 4000);
  EXPECT_EQ(zoo_negotiated_timeout_ms(6000, 2000), 6000);
  EXPECT_EQ(zoo_negotiated_timeout_ms(60'000, 2000), 40'000) << "Curator's default";
}

// Timeline Z1: last touch at 10.000, T 6 s, tick 2 s: bucket 18.000.
TEST(ZooSessions, ExpireAtTheEndOfTheirBucket) {
  ZooTree tree;
  ZooSessionTracker tracker(2000, 9'500, tree);
  tracker.track(1, 6000, 9'999);
  EXPECT_EQ(tracker.expiry_ms(1), 16'000);
  EXPECT_TRUE(tracker.touch(1, 6000, 10'000));
  EXPECT_EQ(tracker.expiry_ms(1), 18'000);
  for (std::int64_t t = 9'500; t < 18'000; ++t) EXPECT_TRUE(tracker.expire(t).empty()) << t;
  EXPECT_EQ(tracker.expire(18'000), Sessions{1});
  EXPECT_FALSE(tracker.touch(1, 6000, 18'000)) << "nothing saves it any more";
  EXPECT_EQ(tracker.check(1, 7), ZooCode::session_expired);
  EXPECT_TRUE(tracker.closing(1));
  tracker.remove(1);
  EXPECT_EQ(tracker.size(), 0U);
}

TEST(ZooSessions, ANewLeaderGivesEverybodyAFullTimeout) {
  ZooTree tree;
  std::vector<ZooEffect> effects;
  tree.apply(ZooTreeChanges::prepare_session(5, 4000, 1), 1, effects);
  tree.apply(ZooTreeChanges::prepare_session(6, 40'000, 1), 2, effects);
  const ZooSessionTracker tracker(2000, 100'001, tree);
  EXPECT_EQ(tracker.expiry_ms(5), 106'000);
  EXPECT_EQ(tracker.expiry_ms(6), 142'000);
}

TEST(ZooSessions, AfterAPauseOneBucketAfterTheOther) {
  ZooTree tree;
  ZooSessionTracker tracker(2000, 0, tree);
  tracker.track(1, 4000, 100);
  tracker.track(2, 4000, 2'100);
  Sessions gone;
  int looks = 0;
  for (; tracker.next_look_ms() <= 50'000; ++looks) {
    for (const std::int64_t s : tracker.expire(50'000)) gone.push_back(s);
  }
  EXPECT_EQ(gone, (Sessions{1, 2}));
  EXPECT_EQ(looks, 25);
}

TEST(ZooSessions, AWriteComesThroughTheOwner) {
  ZooTree tree;
  ZooSessionTracker tracker(2000, 0, tree);
  tracker.track(1, 4000, 0);
  EXPECT_EQ(tracker.check(1, 7), ZooCode::ok) << "the first becomes it";
  EXPECT_EQ(tracker.check(1, 8), ZooCode::session_moved);
  tracker.set_owner(1, 8);
  EXPECT_EQ(tracker.check(1, 7), ZooCode::session_moved);
  EXPECT_EQ(tracker.check(1, 8), ZooCode::ok);
  EXPECT_EQ(tracker.check(2, 8), ZooCode::session_expired);
}

TEST(ZooSessions, AFollowerReportsEachOnce) {
  ZooTouchTable table;
  for (const std::int64_t s : {3, 1, 3, 2, 3}) table.touch(s, 4000 + s);
  std::vector<std::pair<std::int64_t, std::int64_t>> taken{{9, 9}};
  table.take(taken);
  EXPECT_EQ(taken, (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 4001}, {2, 4002}, {3, 4003}}));
  EXPECT_TRUE(table.empty());
}

// A session expires at the first look after T of silence and never before.
RC_GTEST_PROP(ZooSessions, ExpireBetweenTAndTPlusOneTick, ()) {
  const auto tick = *rc::gen::inRange<std::int64_t>(1, 50);
  ZooTree tree;
  std::int64_t now = *rc::gen::inRange<std::int64_t>(0, 1000);
  ZooSessionTracker tracker(tick, now, tree);
  struct Known {
    std::int64_t timeout, heard;
  };
  std::map<std::int64_t, Known> known;
  for (int i = *rc::gen::inRange(1, 80); i > 0; --i) {
    const auto id = *rc::gen::inRange<std::int64_t>(1, 5);
    if (*rc::gen::arbitrary<bool>()) {
      const auto found = known.find(id);
      if (found != known.end()) {
        RC_ASSERT(tracker.touch(id, found->second.timeout, now));
        found->second.heard = now;
      } else if (!tracker.closing(id)) {
        const std::int64_t timeout = *rc::gen::inRange<std::int64_t>(2, 21) * tick;
        tracker.track(id, timeout, now);
        known[id] = {timeout, now};
      }
    }
    now += *rc::gen::inRange<std::int64_t>(0, 3 * tick);
    while (tracker.next_look_ms() <= now) {
      const std::int64_t look = tracker.next_look_ms();
      for (const std::int64_t s : tracker.expire(now)) {
        const std::int64_t silent = look - known.at(s).heard;
        RC_ASSERT(silent > known.at(s).timeout);
        RC_ASSERT(silent <= known.at(s).timeout + tick);
        known.erase(s);
        tracker.remove(s);
      }
    }
    for (const auto& [s, k] : known) RC_ASSERT(now - k.heard <= k.timeout + tick);
  }
}

}  // namespace
}  // namespace picklock
