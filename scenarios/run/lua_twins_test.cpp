// The locks of examples/lua send what their twins in C++ send: the same bytes at the same instants.
//
// Curator's twin makes the session after an expired one with its next question, Curator itself at once: no session expires here.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/trace.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace lua_twins_test {

struct Twins {
  const char* lock;
  const char* file;
  std::vector<const char*> scenarios;
  // The bytes and instants are the same, or only the number of messages on each connection: Redisson's client has another random
  // name here, which the file draws later, and it leaves a channel at another instant.
  bool same_bytes = true;
};

struct Sent {
  std::int64_t at;
  std::uint16_t by;
  std::uint32_t connection;
  std::uint64_t bytes;  // hash of kind and body
  bool operator==(const Sent&) const = default;
};

// All messages of a run, in the order in which they were sent.
std::vector<Sent> sent_in(const std::string& scenario, const std::string& lock, std::uint64_t seed) {
  ScenarioFile file = load_scenario(scenario);
  EXPECT_TRUE(file.ok()) << scenario;
  EXPECT_FALSE(set_lock(file.scenario, lock)) << lock;
  auto compiled = Runner::compile(file.scenario);
  Runner& runner = *std::get<0>(compiled);
  EXPECT_EQ(runner.run(seed, {.full_trace = true}).error, "");
  std::vector<Sent> all;
  for (const TraceRecord& r : runner.world().trace.full()) {
    if (r.kind == trace::segment_sent) all.push_back({r.time, r.node, r.a, r.c});
  }
  return all;
}

// The same without instants and bytes: by connection and sender.
std::map<std::pair<std::uint32_t, std::uint16_t>, int> counted(const std::vector<Sent>& messages) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, int> counts;
  for (const Sent& m : messages) ++counts[{m.connection, m.by}];
  return counts;
}

class LuaTwins : public ::testing::TestWithParam<Twins> {};

TEST_P(LuaTwins, SendTheSame) {
  const std::string file = PICKLOCK_SOURCE_DIR "/examples/lua/" + std::string(GetParam().file);
  ASSERT_EQ(add_lua_lock(file), "");
  for (const char* scenario : GetParam().scenarios) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto native = sent_in(scenario, GetParam().lock, seed);
      const auto in_lua = sent_in(scenario, file, seed);
      EXPECT_GT(native.size(), 20u) << scenario;
      EXPECT_EQ(counted(native), counted(in_lua)) << scenario << ", seed " << seed;
      if (!GetParam().same_bytes) continue;
      std::size_t at = 0;
      while (at < native.size() && at < in_lua.size() && native[at] == in_lua[at]) ++at;
      EXPECT_TRUE(at == native.size() && at == in_lua.size())
          << scenario << ", seed " << seed << ": message " << at << " of " << native.size() << " and " << in_lua.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, LuaTwins,
    ::testing::Values(
        Twins{"set-nx-px", "set_nx_px.lua", {"paused_holder", "lost_reply", "renewal_lost_in_partition"}},
        Twins{"redlock", "redlock.lua", {"redlock_paused_holder", "redlock_two_majorities", "redlock_minority_kept"}},
        Twins{"redisson-lock", "redisson_lock.lua", {"paused_holder", "lost_reply", "cost_of_waiting"}, false},
        Twins{"zookeeper-lock", "zookeeper_lock.lua", {"zookeeper_paused_holder", "zookeeper_leader_dies_under_load"}},
        Twins{"curator-mutex", "curator_mutex.lua", {"zookeeper_leader_dies_under_load"}},
        Twins{"etcd-mutex",
              "etcd_mutex.lua",
              {"etcd_paused_holder", "etcd_partitioned_holder", "etcd_leader_failover_under_load"}}),
    [](const auto& p) {
      std::string name = p.param.lock;
      for (char& c : name) {
        if (c == '-') c = '_';
      }
      return name;
    });

// The comparison can fail: another lock on the same server sends something else.
TEST(LuaTwins, OthersSendSomethingElse) {
  EXPECT_FALSE(sent_in("paused_holder", "set-nx-px", 1) == sent_in("paused_holder", "redisson-lock", 1));
  EXPECT_NE(counted(sent_in("paused_holder", "set-nx-px", 1)), counted(sent_in("paused_holder", "redisson-lock", 1)));
}

}  // namespace lua_twins_test
}  // namespace picklock
