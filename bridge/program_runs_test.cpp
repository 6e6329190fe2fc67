// The unmodified redis-py and kazoo as locks of library scenarios: repeatable, and of the same verdicts as our models of them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bridge/program_locks.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run_lab.hpp"
#include "sim/core/world.hpp"
#include "testkit/check_lock.hpp"

namespace picklock {
namespace program_runs_test {

const std::string kPython = "/usr/bin/python3";  // uses the system's packages
const std::string kProgram = kPython + " " PICKLOCK_SOURCE_DIR "/examples/programs/redis_py.py";

const std::string kKazoo = kPython + " " PICKLOCK_SOURCE_DIR "/examples/programs/kazoo_lock.py";

class Programs : public ::testing::Test {
 protected:
  static bool has_module(const std::string& name) {
    return std::system((kPython + " -c 'import " + name + "' 2> /dev/null").c_str()) == 0;
  }
  static void open_programs() {
    static const bool kOpened = (open_program_locks(), allow_program(kProgram), allow_program(kKazoo), true);
    ASSERT_TRUE(kOpened);
  }

  // A scenario of the library with this lock, whose lease it keeps.
  static std::unique_ptr<Runner> runner_with(const std::string& scenario, const std::string& lock,
                                             const std::vector<std::string>& settings = {}) {
    ScenarioFile file = load_scenario(PICKLOCK_SOURCE_DIR "/scenarios/library/" + scenario + ".toml");
    for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
    if (const auto error = set_lock(file.scenario, lock)) ADD_FAILURE() << print(*error);
    for (const std::string& setting : settings) {
      if (const auto error = set_in_scenario(file.scenario, setting)) ADD_FAILURE() << print(*error);
    }
    return compile(file.scenario);
  }
};

class ProgramRuns : public Programs {
 protected:
  void SetUp() override {
    if (!has_module("redis")) GTEST_SKIP() << "python3-redis is not installed";
    open_programs();
  }
  static std::unique_ptr<Runner> model_in(const std::string& scenario) {
    return runner_with(scenario, "redis-py-lock", {"lock.release=8.1", "lock.retries=0"});  // both: behaviour of 4.3.4
  }
};

std::uint64_t digest_of(Runner& runner, std::uint64_t seed) {
  const RunResult& result = runner.run(seed);
  EXPECT_EQ(result.error, "");
  return result.digest;
}

TEST_F(ProgramRuns, OneSeedHasOneDigest) {
  const auto runner = runner_with("paused_holder", kProgram);
  ASSERT_NE(runner, nullptr);
  const std::uint64_t alone = digest_of(*runner, 7);
  std::set<std::uint64_t> all;
  for (int i = 0; i < 200; ++i) all.insert(digest_of(*runner, 7));
  EXPECT_EQ(all, std::set<std::uint64_t>{alone});
  all.clear();
  for (std::uint64_t seed = 100; seed < 200; ++seed) all.insert(digest_of(*runner, seed));
  EXPECT_EQ(all.size(), 100u) << "other seeds are other runs";
  EXPECT_EQ(digest_of(*runner, 7), alone) << "after a hundred others";
  EXPECT_EQ(digest_of(*runner_with("paused_holder", kProgram), 7), alone) << "in another runner";
}

using Verdicts = std::map<std::string, std::string>;

Verdicts verdicts_of(Runner& runner, std::uint64_t seed) {
  const RunResult& result = runner.run(seed);
  EXPECT_EQ(result.error, "");
  Verdicts all;
  for (const Finding& f : result.findings) {
    const char* const word = f.verdict == Verdict::violated ? "violated"
                             : f.verdict == Verdict::holds  ? "holds"
                                                            : "undecided";
    all[std::string(info(f.property).name)] = word;
  }
  return all;
}

// Of one Redis server, and of locks of several kinds. Not among them: scenarios whose fault lies on the first messages of a run,
// since the library opens its connection at its first use and the model has one from the start; and those that are judged by a
// bound on waiting which follows from options that the model alone has.
TEST_F(ProgramRuns, TheModelAndTheLibraryHaveTheSameVerdicts) {
  std::size_t violated = 0;
  for (const char* const scenario : {"paused_holder",
                                     "crash_without_expiry",
                                     "redisson_lease_of_an_earlier_call",
                                     "healthy_control",
                                     "frozen_holder",
                                     "delayed_write",
                                     "delete_of_anothers_lock",
                                     "laravel_late_release",
                                     "spring_late_unlock",
                                     "spring_stuck_thread",
                                     "jedis_static_flag",
                                     "jedis_same_thread_names",
                                     "jedis_waits_for_itself",
                                     "server_clock_step_forward",
                                     "restart_without_fsync",
                                     "renewal_lost_in_partition",
                                     "paused_renewal_task",
                                     "getset_renewal_frees_another",
                                     "go_hung_connection",
                                     "go_release_closes_the_pool",
                                     "deadlock_opposite_order",
                                     "deadlock_with_oneself",
                                     "handmade_watchdog_renews_nothing"}) {
    const auto library = runner_with(scenario, kProgram), model = model_in(scenario);
    ASSERT_TRUE(library != nullptr && model != nullptr) << scenario;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Verdicts of_model = verdicts_of(*model, seed);
      EXPECT_EQ(verdicts_of(*library, seed), of_model) << scenario << ", seed " << seed;
      for (const auto& [property, verdict] : of_model) violated += verdict == "violated";
    }
  }
  EXPECT_GT(violated, 60u) << "agreement where nothing happens shows nothing";
}

// Verbs that each client sends to the server, repetitions told once. A script is asked for by its digest, and sent if the server
// does not know it; the model sends it at once.
std::map<NodeId, std::vector<std::string>> verbs_of(Runner& runner, std::uint64_t seed) {
  RecordOptions record;
  record.full_trace = record.bodies = true;
  EXPECT_EQ(runner.run(seed, record).error, "");
  std::map<NodeId, std::vector<std::string>> all;
  const std::vector<std::string>& bodies = runner.record().bodies;
  std::size_t place = 0;
  for (const TraceRecord& r : runner.record().full_trace()) {
    if (r.kind != trace::segment_sent) continue;
    const std::string& body = bodies.at(place++);
    if (r.b == 0 || body.empty() || r.node <= runner.cast().servers) continue;
    const std::string words = words_of_message(runner.cast(), r.node, 1, body, false);
    const std::string name = words.substr(0, words.find(' '));
    const std::string verb = name == "EVAL" || name == "EVALSHA" || name == "SCRIPT" ? "script" : name;
    if (name != "SET" && name != "GET" && name != "DEL" && name != "SETNX" && verb != "script") continue;
    std::vector<std::string>& verbs = all[r.node];
    if (verbs.empty() || verbs.back() != verb) verbs.push_back(verb);
  }
  return all;
}

TEST_F(ProgramRuns, TheModelAndTheLibrarySendTheSameCommandsWhileNothingFails) {
  const auto library = runner_with("healthy_control", kProgram), model = model_in("healthy_control");
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto of_model = verbs_of(*model, seed);
    EXPECT_EQ(verbs_of(*library, seed), of_model) << seed;
    EXPECT_GE(of_model.size(), 3u);
    for (const auto& [client, verbs] : of_model) EXPECT_GE(verbs.size(), 2u) << "SET, and a script";
  }
}

// Clients that ask sentinels or nodes for the master get the lock again after a failover; the twin, which keeps to the first
// master, does not.
TEST_F(ProgramRuns, TheLibraryFollowsAFailover) {
  for (const auto& [adapter, scenario] : {std::pair("redis_py_sentinel", "failover_loses_the_lock"),
                                          std::pair("redis_py_cluster", "cluster_failover_loses_the_lock")}) {
    const std::string program = kPython + " " PICKLOCK_SOURCE_DIR "/examples/programs/" + adapter + ".py";
    allow_program(program);
    const auto library = runner_with(scenario, program), twin = runner_with(scenario, kProgram);
    ASSERT_TRUE(library != nullptr && twin != nullptr) << adapter;
    EXPECT_EQ(verdicts_of(*library, 1)["never-free-again"], "holds") << adapter;
    EXPECT_EQ(verdicts_of(*twin, 1)["never-free-again"], "undecided") << adapter;
    EXPECT_EQ(digest_of(*library, 1), digest_of(*library, 1)) << adapter;
  }
}

// A program in a folder of its own, with this release of the lock.
std::string program_that_releases_by(const std::string& statement, const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/my_lock.py")
      << "import picklock, redis\n"
         "class Lock:\n"
         "    def __init__(self, run):\n"
         "        self.redis = redis.Redis(*run.servers[0], socket_timeout=1)\n"
         "        self.ttl = run.options['ttl'] / 1000\n"
         "    def acquire(self, call):\n"
         "        lock = self.redis.lock(call.lock, timeout=self.ttl, sleep=0.02,\n"
         "                               blocking_timeout=call.patience)\n"
         "        return {'lock': lock, 'value': lock.local.token} if lock.acquire() else None\n"
         "    def release(self, hold, call):\n"
         "        " +
             statement +
             "\n"
             "picklock.serve(Lock, {'service': 'redis', 'lease': 'ttl', 'refused': ['LockError'],\n"
             "    'options': {'ttl': '10s'}, 'claims': {'releases_only_own': True}, 'assumptions': [\n"
             "    'holds-shorter-than', 'pauses-shorter-than', 'delays-shorter-than',\n"
             "    'beliefs-shorter-than', 'no-data-loss', 'clock-steps-below']})\n";
  return kPython + " " + folder + "/my_lock.py";
}

// The call of a test suite takes a program, once it may be started.
TEST_F(ProgramRuns, CheckLockTestsAProgram) {
  const std::string folder = ::testing::TempDir() + "picklock_checked_program";
  const std::string good = program_that_releases_by("hold['lock'].release()", folder + "/good"),
                    bad = program_that_releases_by("self.redis.delete(call.lock)", folder + "/bad");
  CheckOptions options;
  options.effort = 60;
  options.keep = "";
  EXPECT_THROW((void)check_lock(good, options), std::runtime_error) << "nothing starts that was not allowed";
  allow_program(good);
  allow_program(bad);
  const LockReport kept = check_lock(good, options);
  EXPECT_NE(kept.verdict, CheckVerdict::broken) << kept.text();
  EXPECT_EQ(kept.tested.errors, 0u) << kept.text();
  EXPECT_GT(kept.tested.contended, 10u) << kept.text();
  const LockReport broken = check_lock(bad, options);
  ASSERT_EQ(broken.verdict, CheckVerdict::broken) << broken.text();
  EXPECT_NE(std::string(info(broken.broken->property).name), "") << broken.text();
  EXPECT_NE(broken.text().find("my_lock.py"), std::string::npos);
  std::filesystem::remove_all(folder);
}

// Twins: another release of the library sends other commands, and a lock that deletes without looking has other verdicts.
TEST_F(ProgramRuns, AnotherReleaseIsToldApart) {
  const auto library = runner_with("healthy_control", kProgram),
             old = runner_with("healthy_control", "redis-py-lock", {"lock.release=2.10.1"});
  EXPECT_NE(verbs_of(*library, 1), verbs_of(*old, 1)) << "GET and DEL instead of a script";
}

class KazooRuns : public Programs {
 protected:
  void SetUp() override {
    if (!has_module("kazoo")) GTEST_SKIP() << "python3-kazoo is not installed";
    open_programs();
  }
};

TEST_F(KazooRuns, OneSeedHasOneDigest) {
  const auto runner = runner_with("zookeeper_paused_holder", kKazoo);
  ASSERT_NE(runner, nullptr);
  const std::uint64_t alone = digest_of(*runner, 7);
  std::set<std::uint64_t> all;
  for (int i = 0; i < 20; ++i) all.insert(digest_of(*runner, 7));
  EXPECT_EQ(all, std::set<std::uint64_t>{alone});
  all.clear();
  for (std::uint64_t seed = 100; seed < 120; ++seed) all.insert(digest_of(*runner, seed));
  EXPECT_EQ(all.size(), 20u) << "other seeds are other runs";
  EXPECT_EQ(digest_of(*runner, 7), alone) << "after twenty others";
}

// Of three servers, elections and sessions that expire among them. Not among them: scenarios that pin which server a client of
// ours draws, that need a fencing token (kazoo's Lock gives none), or whose holder stops when it is disconnected.
TEST_F(KazooRuns, TheModelAndTheLibraryHaveTheSameVerdicts) {
  std::size_t violated = 0;
  for (const char* const scenario :
       {"curator_paused_holder", "curator_stops_when_lost", "kazoo_refused_and_queued", "zk_lock_deaf_to_its_session",
        "zk_lock_errors_swallowed", "zk_lock_orphan", "zk_lock_unlock_swallowed", "zookeeper_deadlock_opposite_order",
        "zookeeper_failover_extends_sessions", "zookeeper_leader_dies_under_load", "zookeeper_partitioned_holder",
        "zookeeper_paused_holder", "zookeeper_paused_holder_at_a_follower", "zookeeper_stops_when_expired",
        "zookeeper_vanishes_on_disconnect"}) {
    const auto library = runner_with(scenario, kKazoo),
               model = runner_with(scenario, "kazoo-lock", {"lock.object=per-call"});
    ASSERT_TRUE(library != nullptr && model != nullptr) << scenario;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Verdicts of_model = verdicts_of(*model, seed), of_library = verdicts_of(*library, seed);
      of_model.erase("fencing-monotonicity");  // the model gives the czxid of its node as a token
      of_library.erase("fencing-monotonicity");
      EXPECT_EQ(of_library, of_model) << scenario << ", seed " << seed;
      for (const auto& [property, verdict] : of_model) violated += verdict == "violated";
    }
  }
  EXPECT_GT(violated, 20u) << "agreement where nothing happens shows nothing";
}

}  // namespace program_runs_test
}  // namespace picklock
