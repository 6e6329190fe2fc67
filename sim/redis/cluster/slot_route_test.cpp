#include "sim/redis/cluster/slot_route.hpp"

#include <gtest/gtest.h>

#include "sim/redis/cluster/cluster_lab.hpp"

namespace picklock {
namespace slot_route_test {

constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

// It begins at a node that does not own the key: one redirection, and then never again.
TEST(SlotRoute, FollowsMovedWithTheSameRequest) {
  ClusterLab lab;
  lab.write_every(ms(50));
  lab.run_until(seconds(3));
  ASSERT_GT(lab.writes.size(), 50u);
  EXPECT_EQ(lab.count("OK", ClusterLab::node(lab.owner()), {}, seconds(3)), lab.writes.size());
  EXPECT_EQ(lab.route->redirections(), 1u);
}

TEST(SlotRoute, FindsTheNewOwnerAfterAKill) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ClusterLab lab({}, seed);
    lab.write_every(ms(50));
    lab.at(seconds(5), [&](World& w) { w.faults.kill(ClusterLab::node(lab.owner())); });
    lab.run_until(seconds(20));
    EXPECT_GT(lab.count("OK", ClusterLab::node(lab.replica()), seconds(11), seconds(20)), 100u) << seed;
    EXPECT_EQ(lab.count("OK", ClusterLab::node(lab.owner()), ms(5001), seconds(20)), 0u);
  }
}

// No node may serve: the error reaches the user after three more attempts, 250 ms apart.
TEST(SlotRoute, GivesUpOnAClusterThatIsDown) {
  ClusterLab lab;
  lab.write_every(ms(50));
  lab.at(seconds(5), [&](World& w) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      if (i % 3 != lab.owner()) w.faults.kill(ClusterLab::node(i));
    }
  });
  lab.run_until(seconds(20));
  std::vector<Duration> errors;
  for (const ClusterLab::Write& w : lab.writes) {
    if (w.what.substr(0, 11) == "CLUSTERDOWN") errors.push_back(w.when);
  }
  ASSERT_GT(errors.size(), 3u);
  EXPECT_GE(errors[1] - errors[0], ms(750));
  EXPECT_EQ(lab.count("OK", ClusterLab::node(lab.owner()), seconds(10), seconds(20)), 0u);
}

}  // namespace slot_route_test
}  // namespace picklock
