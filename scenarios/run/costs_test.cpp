#include "scenarios/run/costs.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "scenarios/run/lock_lab.hpp"

namespace picklock {
namespace {

TEST(Costs, ASpreadIsOfIntegers) {
  EXPECT_EQ(spread_of({}), Spread{});
  EXPECT_EQ(spread_of({7}), (Spread{1, 7, 7, 7, 7}));
  EXPECT_EQ(spread_of({4, 1, 2}), (Spread{3, 2, 2, 4, 4}));
  EXPECT_EQ(spread_of({1, 2}), (Spread{2, 2, 1, 2, 2})) << "a half is rounded up";
  std::vector<std::int64_t> hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1);
  EXPECT_EQ(spread_of(hundred), (Spread{100, 51, 50, 95, 100}));
  const std::vector<std::int64_t> huge(1000, INT64_MAX / 2);
  EXPECT_EQ(spread_of(huge).mean, INT64_MAX / 2);
}

// One way takes 1 ms, so a request and its answer 2 ms.
Scenario two_clients() {
  add_lab_lock();
  Scenario s;
  s.lock.name = "test-lock";
  s.latency = Law::constant(milliseconds(1));
  s.clients.resize(2);
  s.clients[0].name = "a";
  s.clients[1].name = "b";
  s.clients[1].start = Law::constant(milliseconds(10));
  return s;
}

TEST(Costs, LatencyRequestsAndWakeUpOfEachAcquire) {
  auto compiled = Runner::compile(two_clients());
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled));
  Runner& runner = *std::get<0>(compiled);
  runner.run(1, {.full_trace = true});
  const Costs costs = costs_of(runner.record());
  EXPECT_EQ(costs.asked, 2u);
  EXPECT_EQ(costs.granted, 2u);
  ASSERT_EQ(costs.latency_ns.size(), 2u);
  EXPECT_EQ(costs.latency_ns[0], milliseconds(2).ns) << "one round trip";
  EXPECT_EQ(costs.requests[0], 1);
  EXPECT_GT(costs.requests[1], 5) << "b polls every 5 ms and a round trip, for as long as a works";
  EXPECT_LT(costs.requests[1], 10);
  ASSERT_EQ(costs.wake_up_ns.size(), 1u) << "a never waited";
  EXPECT_GE(costs.wake_up_ns[0], milliseconds(1).ns) << "the answer takes that long";
  EXPECT_LE(costs.wake_up_ns[0], milliseconds(9).ns);
  EXPECT_EQ(costs.commands, static_cast<std::uint64_t>(costs.requests[0] + costs.requests[1]) + 2)
      << "and two releases";
  Costs twice = costs;
  twice.add(costs);
  EXPECT_EQ(twice.latency_ns.size(), 4u);
  EXPECT_EQ(twice.commands, 2 * costs.commands);
}

// Four clients queue while the first one works: three releases are waited for, by 3, 2 and 1 clients.
TEST(Costs, WatchEventsOfAHerdAndOfAQueue) {
  for (const auto& [lock, events] : {std::pair("zookeeper-herd-lock", 3u + 2u + 1u), std::pair("zookeeper-lock", 3u)}) {
    Scenario s;
    s.lock.name = lock;
    s.clients.resize(4);
    for (std::size_t i = 0; i < 4; ++i) {
      s.clients[i].name = std::string(1, static_cast<char>('a' + i));
      s.clients[i].start = Law::constant(milliseconds(1000 + 50 * static_cast<std::int64_t>(i)));
      s.clients[i].hold = Law::constant(milliseconds(500));
    }
    auto compiled = Runner::compile(s);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled));
    Runner& runner = *std::get<0>(compiled);
    runner.run(1, {.full_trace = true});
    const Costs costs = costs_of(runner.record());
    EXPECT_EQ(costs.granted, 4u);
    EXPECT_EQ(costs.watch_events, events) << lock;
    EXPECT_EQ(costs.overtaken == 0, events == 3u) << "the herd forgets who came first";
  }
}

}  // namespace
}  // namespace picklock
