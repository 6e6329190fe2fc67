// The locks of examples/lua are the locks of C++ again: they send the same bytes at the same instants, and get the same verdicts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/lua/lua_locks.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"
#include "sim/core/world.hpp"
#include "sim/redis/inspect.hpp"

namespace picklock {
namespace lua_twins_test {

struct Twins {
  const char *lock, *file;
  std::vector<const char*> scenarios;
};

const std::vector<Twins>& twins() {
  static const std::vector<Twins> kAll = {
      {"set-nx-px", "set_nx_px.lua", {"paused_holder", "lost_reply", "renewal_lost_in_partition"}},
      {"redlock", "redlock.lua", {"redlock_paused_holder", "redlock_two_majorities", "redlock_minority_kept"}},
      {"zookeeper-lock", "zookeeper_lock.lua", {"zookeeper_paused_holder", "zookeeper_leader_dies_under_load"}},
      {"etcd-mutex",
       "etcd_mutex.lua",
       {"etcd_paused_holder", "etcd_partitioned_holder", "etcd_leader_failover_under_load"}},
  };
  return kAll;
}

std::unique_ptr<Runner> runner(const std::string& scenario, const std::string& lock) {
  ScenarioFile file = load_scenario(std::string(PICKLOCK_SOURCE_DIR "/scenarios/library/") + scenario + ".toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  const auto error = set_lock(file.scenario, lock);
  EXPECT_FALSE(error) << (error ? print(*error) : "");
  auto compiled = Runner::compile(file.scenario);
  if (const auto* const problems = std::get_if<1>(&compiled)) {
    ADD_FAILURE() << scenario << " with " << lock << ": " << (*problems)[0].found;
    return nullptr;
  }
  return std::move(std::get<0>(compiled));
}

// What the lock's client sends and what servers do about it; not how it names its tasks, and numbers its waits.
std::vector<TraceRecord> told(World& world) {
  std::vector<TraceRecord> all;
  for (TraceRecord r : world.trace.full()) {
    const bool own_affair =
        r.kind == trace::task_started || r.kind == trace::task_ended || r.kind == trace::deadline_announced;
    const bool numbered = r.kind == trace::segment_sent || r.kind == trace::segment_arrived ||
                          r.kind == trace::segment_lost || r.kind == trace::redis_command;
    if (numbered) r.b = 0;
    if (!own_affair) all.push_back(r);
  }
  return all;
}

TEST(LuaTwins, SendTheSameAndGetTheSameVerdicts) {
  for (const Twins& t : twins()) {
    const std::string lua = std::string(PICKLOCK_SOURCE_DIR "/examples/lua/") + t.file;
    for (const char* const scenario : t.scenarios) {
      const auto one = runner(scenario, t.lock), two = runner(scenario, lua);
      ASSERT_TRUE(one && two);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(std::string(t.file) + " in " + scenario + ", seed " + std::to_string(seed));
        const Findings first = one->run(seed, {.full_trace = true}).findings;
        const RunResult& second = two->run(seed, {.full_trace = true});
        ASSERT_EQ(second.error, "");
        for (std::size_t p = 0; p < first.size(); ++p) {
          EXPECT_EQ(first[p].verdict, second.findings[p].verdict) << properties()[p].name;
        }
        const std::vector<TraceRecord> a = told(one->world()), b = told(two->world());
        std::size_t same = 0;
        while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
        EXPECT_TRUE(a == b) << same << " records are the same, of " << a.size() << " and " << b.size() << "; then "
                            << (same < a.size() ? a[same].time : -1) << " kind "
                            << (same < a.size() ? a[same].kind : 0);
      }
    }
  }
}

}  // namespace lua_twins_test
}  // namespace picklock
