// Redisson's fair lock in the lab.
#include <gtest/gtest.h>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redisson/redisson_fair_lock.hpp"

namespace picklock {
namespace {

using testing::LabClient;
using testing::options_of;
using testing::RedisLockLab;

auto fair(Duration wait, FairScores scores = FairScores::kept, FairTtl ttl = FairTtl::lock) {
  return options_of<RedissonFairOptions>([=](RedissonFairOptions& o) {
    o.fair_wait = wait;
    o.scores = scores;
    o.ttl = ttl;
  });
}

TEST(RedissonFairLock, GrantsInTheOrderOfTheFirstAsks) {
  RedisLockLab world;
  std::vector<std::unique_ptr<LabClient>> clients;
  for (NodeId node = 1; node <= 5; ++node) {
    clients.push_back(std::make_unique<LabClient>(world.process(node), 1, "redisson-fair-lock"));
    clients.back()->acquire();
    world.run(milliseconds(10 * node));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    for (std::size_t k = 0; k < clients.size(); ++k) EXPECT_EQ(clients[k]->holds(), k <= i) << i;
    clients[i]->release(clients[i]->hold());
    world.run(milliseconds(100 + 20 * static_cast<std::int64_t>(i)));
  }
  EXPECT_EQ(world.server.ask("EXISTS", "redisson_lock_queue:{door}"), "0");
}

TEST(RedissonFairLock, ADeadHeadIsWaitedForAsLongAsFairWaitSays) {
  RedisLockLab world;
  const auto edit = fair(seconds(5));
  LabClient a(world.process(1), 1, "redisson-fair-lock", edit), b(world.process(2), 1, "redisson-fair-lock", edit),
      c(world.process(3), 1, "redisson-fair-lock", edit);
  a.acquire();
  world.run(milliseconds(10));
  b.acquire();
  world.run(milliseconds(20));
  c.acquire();
  world.run(milliseconds(30));
  world.runtime.kill(2);
  a.release(a.hold());
  world.run(seconds(34));
  EXPECT_FALSE(c.holds());
  world.run(seconds(41));
  EXPECT_TRUE(c.holds()) << "the lease that b was told, and five seconds";
}

TEST(RedissonFairBug2099, TimesDriftWithEveryAttempt) {
  for (const FairScores scores : {FairScores::kept, FairScores::drifting}) {
    RedisLockLab world;
    const auto edit = fair(seconds(5), scores);
    std::vector<std::unique_ptr<LabClient>> clients;
    for (NodeId node = 1; node <= 3; ++node) {
      clients.push_back(std::make_unique<LabClient>(world.process(node), 1, "redisson-fair-lock", edit));
      clients.back()->acquire();
      world.run(milliseconds(10 * node));
    }
    // Each holder goes and asks again: the queue is never empty.
    for (int round = 0; round < 30; ++round) {
      for (auto& client : clients) {
        if (!client->holds()) continue;
        client->release(client->hold());
        client->acquired.reset();
        world.run_on(milliseconds(20));
        client->acquire();
        break;
      }
      world.run_on(milliseconds(20));
    }
    const std::string last = world.server.ask("ZRANGE", "redisson_lock_timeout:{door}", -1, -1, "WITHSCORES");
    const auto score = std::stoll(last.substr(last.rfind(", \"") + 3));
    const std::int64_t now_ms = (testing::LabRuntime::kEpochNs + world.runtime.now) / 1'000'000;
    if (scores == FairScores::kept) {
      EXPECT_LT(score - now_ms, 30'000 + 2 * 5'000 + 1000);
    } else {
      EXPECT_GT(score - now_ms, 100'000) << "of two waiters";
    }
  }
}

}  // namespace
}  // namespace picklock
