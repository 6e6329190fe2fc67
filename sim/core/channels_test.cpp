#include "sim/core/channels.hpp"

#include <gtest/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace channels_test {

using testing::ms;
using testing::Pair;
using testing::true_at;

TEST(Channels, AreUsedAgainAfterAReset) {
  World world;
  const auto opened = [&world](Duration timeout) {
    const NodeId a = world.nodes.add("a"), b = world.nodes.add("b");
    return &world.channels.open(a, b, {.request_timeout = timeout});
  };
  RpcChannel* const first = opened(ms(1));
  const NodeId a = *world.nodes.find("a"), b = *world.nodes.find("b");
  EXPECT_NE(&world.channels.open(b, a, {}), first);
  world.reset(0);
  RpcChannel* const again = opened(ms(2));
  EXPECT_EQ(again, first);
  EXPECT_EQ(again->connections_opened(), 1u);
}

// A request that was sent, and then one that found no connection.
TEST(Channels, RememberTheRequestsWithoutAnAnswer) {
  Pair pair({.request_timeout = ms(50), .connect_timeout = ms(20)});
  pair.world.faults.pause(pair.server);
  pair.call(1, mark::writes);
  pair.run_until(ms(55));
  ASSERT_EQ(pair.world.channels.unanswered().size(), 1u);
  const Unanswered& sent = pair.world.channels.unanswered()[0];
  EXPECT_EQ(sent.at, true_at(ms(50)));
  EXPECT_EQ(sent.from, pair.n);
  EXPECT_EQ(sent.to, pair.server);
  EXPECT_EQ(sent.verb, mark::writes);
  EXPECT_TRUE(sent.sent);
  pair.world.faults.lose_power(pair.server);
  pair.call(1, mark::writes);
  pair.run_until(seconds(1));
  ASSERT_EQ(pair.world.channels.unanswered().size(), 2u);
  EXPECT_FALSE(pair.world.channels.unanswered()[1].sent);
  EXPECT_EQ(pair.seen.back().what, "not connected");
  pair.world.reset(0);
  EXPECT_TRUE(pair.world.channels.unanswered().empty());
}

TEST(Channels, ForgetNothingOfARequestThatIsAnswered) {
  Pair pair;
  pair.call(3);
  pair.run();
  EXPECT_EQ(pair.seen.size(), 3u);
  EXPECT_TRUE(pair.world.channels.unanswered().empty());
}

}  // namespace channels_test
}  // namespace picklock
