#include "sim/core/nodes.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace nodes_test {

TEST(Nodes, AreFoundByTheirNames) {
  Nodes nodes;
  nodes.add("world");
  const NodeId a = nodes.add("a"), b = nodes.add("b");
  EXPECT_EQ(a, 1);
  EXPECT_EQ(nodes.count(), 3);
  EXPECT_EQ(nodes.find("b"), b);
  EXPECT_EQ(nodes.find("a"), a);
  EXPECT_EQ(nodes.find("world"), std::nullopt);  // no machine
  EXPECT_EQ(nodes.name(b), "b");
  nodes.reset();
  EXPECT_EQ(nodes.count(), 0);
  EXPECT_EQ(nodes.find("b"), std::nullopt);
}

TEST(Nodes, StayWhereTheyAre) {
  Nodes nodes;
  const NodeId a = nodes.add("a");
  Disk* const disk = &nodes.disk(a);
  Mailbox* const mailbox = &nodes.mailbox(a);
  for (int i = 0; i < 100; ++i) nodes.add("n" + std::to_string(i));
  EXPECT_EQ(&nodes.disk(a), disk);
  EXPECT_EQ(&nodes.mailbox(a), mailbox);
}

// Each obstacle alone, and none.
TEST(Nodes, AreHinderedByWhatStopsThem) {
  Nodes nodes;
  Nodes::Node& n = nodes[nodes.add("n")];
  const auto seen = [&n] {
    n.note_obstacles();
    EXPECT_TRUE(n.obstacles_noted());
    return std::pair(n.reachable, n.unhindered);
  };
  EXPECT_EQ(seen(), std::pair(true, true));
  n.process.pauses = 1;
  EXPECT_FALSE(n.obstacles_noted());
  EXPECT_EQ(seen(), std::pair(true, false));  // the kernel of a paused process goes on
  n.process.pauses = 0;
  n.process.doomed = true;
  EXPECT_EQ(seen(), std::pair(true, false));
  n.process.doomed = false;
  n.process.stopped_names = {7};
  EXPECT_EQ(seen(), std::pair(true, false));
  n.process.stopped_names.clear();
  n.process.alive = false;
  EXPECT_EQ(seen(), std::pair(true, false));
  n.process.alive = true;
  n.machine.freezes = 1;
  EXPECT_EQ(seen(), std::pair(false, false));
  n.machine.freezes = 0;
  n.machine.powered = false;
  EXPECT_EQ(seen(), std::pair(false, true));
  n.machine.powered = true;
  EXPECT_EQ(seen(), std::pair(true, true));
}

TEST(Nodes, AreNewAfterAReset) {
  Nodes nodes;
  Nodes::Node& n = nodes[nodes.add("n")];
  const std::uint64_t hash = n.hash;
  n.process.incarnation = n.process.pauses = n.machine.boots = n.machine.freezes = 3;
  n.process.stopped_names = {7};
  n.process.mailbox.reader = 9;
  n.clock.step(seconds(1));
  nodes.reset();
  const NodeId again = nodes.add("n");
  EXPECT_EQ(&nodes[again], &n);
  EXPECT_EQ(n.hash, hash);
  EXPECT_EQ(nodes.incarnation(again), 0u);
  EXPECT_EQ(n.machine.boots + n.machine.freezes + n.process.pauses + n.process.mailbox.reader, 0u);
  EXPECT_EQ(nodes.clock(again).offset(), Clock::kEpoch);
  EXPECT_TRUE(n.unhindered);
  nodes.reset();
  EXPECT_NE(nodes[nodes.add("m")].hash, hash);
}

}  // namespace nodes_test
}  // namespace picklock
