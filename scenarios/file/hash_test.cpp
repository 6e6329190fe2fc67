#include "scenarios/file/hash.hpp"

#include <gtest/gtest.h>

#include <set>

#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {
namespace {

Scenario example() {
  return read_scenario(R"(lock = { name = "set-nx-px", ttl = "100ms" }
clients = [ { name = "a" }, { name = "b" } ]
[[fault]]
kind = "pause"
node = "a"
on = "a enters"
)",
                       "x.toml")
      .scenario;
}

TEST(ScenarioHash, EverySettableThingChangesIt) {
  const Scenario before = example();
  std::set<std::uint64_t> hashes = {scenario_hash(before)};
  const std::vector<std::string> changes = {"lock.ttl=101ms",
                                            "lock.key=other",
                                            "lock=setnx",
                                            "clients.a.hold=1s",
                                            "clients.b.hold=1s",
                                            "clients.a.name=c",
                                            "workload=register",
                                            "redis.hz=11",
                                            "storage.fence=writes",
                                            "network.latency=1ms",
                                            "network.request-timeout=2s",
                                            "clock.redis.offset=1s",
                                            "fault[0].lasts=77ms",
                                            "fault[0].on=b enters",
                                            "phases.load=7s",
                                            "event-budget=1000",
                                            "sometimes=contention",
                                            "draw.a/hold@a#2.1=5",
                                            "reseed.seed=1",
                                            "reseed=1s:7",
                                            "reseed=1s:7,2s:7",
                                            "fault[0].kind=kill"};
  for (const std::string& change : changes) {
    Scenario s = before;
    const auto error = set_in_scenario(s, change);
    ASSERT_FALSE(error) << print(*error);
    EXPECT_TRUE(hashes.insert(scenario_hash(s)).second) << change;
  }
}

TEST(ScenarioHash, WhatIsSaidAboutARunDoesNotChangeIt) {
  Scenario s = example();
  const std::uint64_t before = scenario_hash(s);
  s.name = "other";
  s.description = "other";
  ASSERT_FALSE(set_in_scenario(s, "expect.mutual-exclusion=violated"));
  EXPECT_EQ(scenario_hash(s), before);
}

TEST(ScenarioHash, OptionsThatAreLeftOutCountAsTheDefaults) {
  Scenario bare;
  bare.clients.resize(1);
  Scenario filled = bare;
  ASSERT_FALSE(set_in_scenario(filled, "lock.name=set-nx-px"));
  EXPECT_TRUE(filled.lock.options);
  EXPECT_EQ(scenario_hash(bare), scenario_hash(filled));
}

}  // namespace
}  // namespace picklock
