// The parts of a sentinel by themselves: the clock's trust, epochs and vote, the watched instances.
#include <gtest/gtest.h>

#include "sim/redis/sentinel/ballot.hpp"
#include "sim/redis/sentinel/group.hpp"
#include "sim/redis/sentinel/tilt.hpp"

namespace picklock {
namespace {

TEST(SentinelTilt, BeginsWithALateTickAndEndsAfterThirtySeconds) {
  SentinelTilt tilt;
  tilt.boot(1000);
  EXPECT_FALSE(tilt.begins(1100));
  EXPECT_FALSE(tilt.begins(3100)) << "two seconds are allowed";
  EXPECT_TRUE(tilt.begins(5101));
  EXPECT_TRUE(tilt.on());
  EXPECT_FALSE(tilt.ends(35'100));
  EXPECT_TRUE(tilt.ends(35'101));
  EXPECT_FALSE(tilt.on());
  EXPECT_FALSE(tilt.ends(36'000)) << "it ends once";
}

TEST(SentinelTilt, BeginsWhenTheClockGoesBack) {
  SentinelTilt tilt;
  tilt.boot(1000);
  EXPECT_TRUE(tilt.begins(999));
}

TEST(SentinelBallot, OneVoteAnEpoch) {
  SentinelBallot ballot;
  ballot.raise_epoch(7);
  EXPECT_FALSE(ballot.can_vote_in(6)) << "an epoch that is over";
  EXPECT_TRUE(ballot.can_vote_in(7));
  ballot.vote_for("s2");
  EXPECT_FALSE(ballot.can_vote_in(7));
  EXPECT_EQ(ballot.voted_for(), "s2");
  ballot.raise_epoch(8);
  EXPECT_TRUE(ballot.can_vote_in(8));
}

TEST(SentinelBallot, ReadsWhatItHasWritten) {
  SentinelBallot ballot;
  EXPECT_EQ(ballot.vote_lines(), "");
  ballot.raise_epoch(7);
  ballot.raise_config_epoch(5);
  ballot.vote_for("s2");
  SentinelBallot read;
  read.read("current-epoch", "7");
  read.read("config-epoch", "5");
  read.read("leader-epoch", "7");
  read.read("leader", "s2");
  read.read("known-sentinel", "s3");
  EXPECT_EQ(read.epoch_lines(), ballot.epoch_lines());
  EXPECT_EQ(read.vote_lines(), ballot.vote_lines());
}

class SentinelGroupTest : public ::testing::Test {
 protected:
  SentinelGroupTest() {
    group.watch("redis", kNow);
    for (const char* name : {"r1", "r2"}) {
      group.add_replica(name, kNow);
      SentinelInstance& r = group.replicas().back();
      r.traffic.connected = true;
      r.info.at = kNow;
      r.run_id = name;
    }
  }
  static constexpr std::int64_t kNow = 1'000'000, kDownAfter = 1000;
  SentinelGroup group;
};

TEST_F(SentinelGroupTest, TheBestReplicaHasTheSmallestPriorityThenTheMostData) {
  EXPECT_EQ(group.best_replica(kNow, kDownAfter)->name, "r1");
  group.replicas()[1].info.offset = 10;
  EXPECT_EQ(group.best_replica(kNow, kDownAfter)->name, "r2");
  group.replicas()[0].info.priority = 1;
  EXPECT_EQ(group.best_replica(kNow, kDownAfter)->name, "r1");
  group.replicas()[0].info.priority = 0;
  EXPECT_EQ(group.best_replica(kNow, kDownAfter)->name, "r2") << "priority 0 is never promoted";
  group.replicas()[1].down = true;
  EXPECT_EQ(group.best_replica(kNow, kDownAfter), nullptr);
}

TEST_F(SentinelGroupTest, AfterASwitchTheOldMasterIsAReplica) {
  group.add_sentinel("s2", kNow);
  group.switch_to("r2", kNow + 1);
  EXPECT_EQ(group.master().name, "r2");
  EXPECT_TRUE(group.knows_replica("redis"));
  EXPECT_TRUE(group.knows_replica("r1"));
  EXPECT_FALSE(group.knows_replica("r2"));
  EXPECT_TRUE(group.knows_sentinel("s2"));
}

TEST_F(SentinelGroupTest, FindsAnInstanceByEitherLink) {
  group.replicas()[1].traffic.pubsub = 4;
  EXPECT_EQ(group.of(4), &group.replicas()[1]);
  EXPECT_EQ(group.of(5), nullptr);
  EXPECT_EQ(group.of(0), nullptr) << "0 is no link";
}

}  // namespace
}  // namespace picklock
