#include "sim/redis/sentinel/master_route.hpp"

#include <gtest/gtest.h>

#include "sim/redis/sentinel/sentinel_lab.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

SentinelLabOptions quick() { return {.sentinel = {.down_after = ms(2000), .failover_timeout = ms(10'000)}}; }

std::size_t count(const SentinelLab::Writes& w, std::string_view what, NodeId by, Duration from, Duration to) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < w.done.size(); ++i) {
    n += w.done[i].second.substr(0, what.size()) == what && w.by[i] == by && w.done[i].first >= from &&
         w.done[i].first < to;
  }
  return n;
}

TEST(MasterRoute, GoesOnWithTheNewMasterAfterAKill) {
  SentinelLab lab(quick());
  SentinelLab::Writes writes;
  lab.write_every(ms(50), writes);
  lab.at(seconds(15), [&](World& w) { w.faults.kill(lab.redis_node(0)); });
  lab.run_until(seconds(30));
  ASSERT_EQ(lab.masters().size(), 1u);
  const NodeId master = lab.masters()[0];
  EXPECT_GE(lab.route->searches(), 1u);
  EXPECT_GT(count(writes, "OK", lab.redis_node(0), {}, seconds(15)), 250u);
  EXPECT_GT(count(writes, "OK", master, seconds(18), seconds(30)), 200u);
  EXPECT_EQ(count(writes, "READONLY", master, {}, seconds(30)), 0u);
}

// On the old master's side of a split nothing tells it to leave; when that one is demoted, its
// connection is killed and it finds the new one.
TEST(MasterRoute, StaysWithAnIsolatedMasterUntilThatIsDemoted) {
  SentinelLab lab(quick());
  SentinelLab::Writes writes;
  lab.write_every(ms(50), writes);
  std::vector<std::uint32_t> rules;
  lab.at(seconds(15), [&](World&) {
    rules = lab.cut({lab.redis_node(0), lab.client, lab.sentinel_node(0)}, Fate::hold);
  });
  lab.at(seconds(25), [&](World&) { lab.heal(rules); });
  lab.run_until(seconds(34));
  EXPECT_EQ(lab.masters().size(), 2u);
  EXPECT_GT(count(writes, "OK", lab.redis_node(0), seconds(16), seconds(34)), 300u);
  lab.run_until(seconds(40));
  ASSERT_EQ(lab.masters().size(), 1u);
  EXPECT_GT(count(writes, "OK", lab.masters()[0], seconds(35), seconds(40)), 60u);
}

// READONLY is an answer: the write had no effect, and the next one goes elsewhere.
TEST(MasterRoute, LeavesAServerThatSaysReadonly) {
  SentinelLab lab(quick());
  SentinelLab::Writes writes;
  lab.write_every(ms(50), writes);
  lab.run_until(seconds(12));
  RpcChannel& operator_ = lab.world.channels.open(lab.client, lab.redis_node(0), {});
  struct Demote {
    static Task<void> run(Host host, RpcChannel* channel) {
      (void)host;
      const Redis redis(*channel);
      const RedisCommand demote("REPLICAOF", "replica1", "6379");
      const auto done = co_await redis.command(demote);
      EXPECT_TRUE(done.yes());
    }
  };
  lab.world.tasks.start(lab.client, "operator", Demote::run(lab.world.host(lab.client), &operator_));
  lab.run_until(seconds(13));
  EXPECT_GE(count(writes, "READONLY", lab.redis_node(0), seconds(12), seconds(13)), 1u);
  // The sentinels still name the demoted server, which no longer calls itself master: no server is asked.
  EXPECT_LE(count(writes, "READONLY", lab.redis_node(0), {}, seconds(13)), 1u);
  lab.run_until(seconds(14));
  EXPECT_GE(count(writes, "none", lab.redis_node(0), seconds(12), seconds(15)), 1u);
}

TEST(MasterRoute, EndsAsNotConnectedWhenNoSentinelAnswers) {
  SentinelLab lab(quick());
  SentinelLab::Writes writes;
  lab.write_every(ms(50), writes);
  lab.at(seconds(5), [&](World& w) {
    for (std::size_t i = 0; i < 3; ++i) w.faults.kill(lab.sentinel_node(i));
    w.faults.kill(lab.redis_node(0));
  });
  lab.run_until(seconds(10));
  EXPECT_EQ(count(writes, "OK", lab.redis_node(0), seconds(6), seconds(10)), 0u);
  EXPECT_GE(count(writes, "none", lab.redis_node(0), seconds(5), seconds(10)), 3u);
  lab.at(seconds(10), [&](World& w) {
    for (std::size_t i = 0; i < 3; ++i) w.faults.restart(lab.sentinel_node(i));
    w.faults.restart(lab.redis_node(0));
  });
  lab.run_until(seconds(13));
  EXPECT_GT(count(writes, "OK", lab.redis_node(0), seconds(11), seconds(13)), 20u);
}

// The client dies in the midst of a search, and its next process searches anew.
TEST(MasterRoute, ADeathInTheMidstOfASearchLeavesNothingBehind) {
  SentinelLab lab(quick());
  SentinelLab::Writes before, after;
  lab.write_every(ms(50), before);
  lab.at(seconds(15), [&](World& w) { w.faults.kill(lab.redis_node(0)); });
  lab.at(seconds(15) + ms(300), [&](World& w) { w.faults.kill(lab.client); });
  lab.run_until(seconds(16));
  lab.world.faults.restart(lab.client);
  lab.write_every(ms(50), after);
  lab.run_until(seconds(25));
  ASSERT_EQ(lab.masters().size(), 1u);
  EXPECT_GT(count(after, "OK", lab.masters()[0], seconds(16), seconds(25)), 50u);
}

}  // namespace
}  // namespace picklock
