// The locks of examples/lua send what their twins in C++ send: the same bytes at the same instants.
//
// Curator's twin makes the session after an expired one with its next question, Curator itself at once: no session expires here.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <regex>
#include <string>
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
  // Redisson's client has another random name, which the file draws later: then names are compared by their order.
  bool same_names = true;
};

struct Sent {
  std::int64_t at;
  std::uint16_t by;
  std::uint32_t connection;
  std::uint64_t bytes;  // hash of kind and body; 0 if names are replaced
  std::string body;     // body with a number in place of each random name
  bool operator==(const Sent&) const = default;
};

// Random names of clients have 13 characters.
std::string with_numbers(const std::string& body, std::map<std::string, std::string>& numbers) {
  static const std::regex kName("[0-9a-v]{13}(?![0-9A-Za-z_])");
  std::string out;
  auto rest = body.begin();
  for (std::sregex_iterator i(body.begin(), body.end(), kName), end; i != end; ++i) {
    out.append(rest, (*i)[0].first);
    out += numbers.try_emplace((*i)[0], "<" + std::to_string(numbers.size()) + ">").first->second;
    rest = (*i)[0].second;
  }
  return out.append(rest, body.end());
}

// All messages of a run, in the order in which they were sent.
std::vector<Sent> sent_in(const std::string& scenario, const std::string& lock, std::uint64_t seed,
                          bool same_names = true) {
  ScenarioFile file = load_scenario(scenario);
  EXPECT_TRUE(file.ok()) << scenario;
  EXPECT_FALSE(set_lock(file.scenario, lock)) << lock;
  auto compiled = Runner::compile(file.scenario);
  Runner& runner = *std::get<0>(compiled);
  EXPECT_EQ(runner.run(seed, {.full_trace = true, .bodies = true}).error, "");
  const std::vector<std::string>& bodies = runner.record().bodies;
  std::map<std::string, std::string> numbers;
  std::vector<Sent> all;
  for (const TraceRecord& r : runner.record().full_trace()) {
    if (r.kind != trace::segment_sent) continue;
    const std::string& body = bodies.at(all.size());
    all.push_back({r.time, r.node, r.a, same_names ? r.c : 0, same_names ? body : with_numbers(body, numbers)});
  }
  return all;
}

class LuaTwins : public ::testing::TestWithParam<Twins> {};

TEST_P(LuaTwins, SendTheSame) {
  const std::string file = PICKLOCK_SOURCE_DIR "/examples/lua/" + std::string(GetParam().file);
  ASSERT_EQ(add_lua_lock(file), "");
  for (const char* scenario : GetParam().scenarios) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto native = sent_in(scenario, GetParam().lock, seed, GetParam().same_names);
      const auto in_lua = sent_in(scenario, file, seed, GetParam().same_names);
      EXPECT_GT(native.size(), 20u) << scenario;
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
  EXPECT_FALSE(sent_in("paused_holder", "redisson-lock", 1, false) ==
               sent_in("paused_holder", "redisson-lock", 2, false));
}

TEST(LuaTwins, NamesAreComparedByTheirOrder) {
  std::map<std::string, std::string> numbers;
  EXPECT_EQ(with_numbers("x:2g56445ff9ro2:1,1tk9uabsjh6he", numbers), "x:<0>:1,<1>");
  EXPECT_EQ(with_numbers("1tk9uabsjh6he:2g56445ff9ro2", numbers), "<1>:<0>");
  EXPECT_EQ(with_numbers("redisson_lock__channel:{lock}", numbers), "redisson_lock__channel:{lock}");
}

}  // namespace lua_twins_test
}  // namespace picklock
