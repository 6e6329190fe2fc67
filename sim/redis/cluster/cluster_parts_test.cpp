// The parts of a node of a cluster by themselves: its health, and a replica's candidacy.
#include <gtest/gtest.h>

#include "sim/redis/cluster/candidacy.hpp"
#include "sim/redis/cluster/health.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kTimeout = 2000;

TEST(ClusterHealth, AMasterThatRebootsWaitsTwoSeconds) {
  ClusterHealth health;
  health.boot(false, 1000);
  health.update(true, true, true, 2999, kTimeout);
  EXPECT_FALSE(health.serves());
  health.update(true, true, true, 3000, kTimeout);
  EXPECT_TRUE(health.serves());
}

TEST(ClusterHealth, AMasterWaitsAfterAMinorityAndAReplicaDoesNot) {
  for (const bool is_master : {true, false}) {
    ClusterHealth health;
    health.boot(true, 0);
    health.update(is_master, true, false, 10'000, kTimeout);
    EXPECT_FALSE(health.serves());
    health.update(is_master, true, true, 10'000 + kTimeout - 1, kTimeout);
    EXPECT_EQ(health.serves(), !is_master);
    health.update(is_master, true, true, 10'000 + kTimeout, kTimeout);
    EXPECT_TRUE(health.serves());
  }
}

TEST(ClusterHealth, AShardWithoutAnOwnerStopsItAtOnce) {
  ClusterHealth health;
  health.boot(true, 0);
  health.update(true, false, true, 10'000, kTimeout);
  EXPECT_FALSE(health.serves());
}

TEST(ClusterCandidacy, CountsVotesOfItsEpochOnceItHasAsked) {
  ClusterCandidacy candidacy;
  candidacy.plan(1000, 0);
  candidacy.take_vote(5);
  EXPECT_EQ(candidacy.votes(), 0u) << "it has not asked";
  candidacy.ask(5);
  candidacy.take_vote(4);
  candidacy.take_vote(5);
  EXPECT_EQ(candidacy.votes(), 1u);
  candidacy.plan(9000, 0);
  EXPECT_EQ(candidacy.votes(), 0u) << "a new attempt";
  EXPECT_FALSE(candidacy.has_asked());
}

TEST(ClusterCandidacy, AGreaterRankDelaysItUntilItHasAsked) {
  ClusterCandidacy candidacy;
  candidacy.plan(1000, 0);
  candidacy.delay_if_outranked(2, 500);
  EXPECT_EQ(candidacy.since_due(2000), 0);
  candidacy.delay_if_outranked(1, 500);
  EXPECT_EQ(candidacy.since_due(2000), 0) << "a smaller rank changes nothing";
  candidacy.ask(1);
  candidacy.delay_if_outranked(9, 500);
  EXPECT_EQ(candidacy.since_due(2000), 0);
}

}  // namespace
}  // namespace picklock
