// Measurements of a run, for every service: the observations behind the assumptions of locks.
#include "scenarios/run/measure.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/file/read.hpp"
#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace {

// Measures a client that holds the lock from 3 s to 4 s.
ExecutedFaults measured(std::string_view lock, std::string_view faults, std::string_view options = "") {
  const std::string text = fmt::format(
      "lock = {{ name = \"{}\"{} }}\nclients = [ {{ name = \"a\", start = \"3s\", hold = \"1s\", patience = \"2s\" }} "
      "]\n{}\n[phases]\nload = \"12s\"\n",
      lock, options, faults);
  const ScenarioFile file = read_scenario(text, "measure.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  const auto runner = compile(file.scenario);
  return runner->run(1).executed;
}

std::string dead(std::string_view server, int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) {
    text += fmt::format("[[fault]]\nkind = \"kill\"\nnode = \"{}{}\"\nat = \"1s\"\nstays = true\n", server, i);
  }
  return text;
}

TEST(Measure, AMajorityOfServersIsEnough) {
  EXPECT_EQ(measured("redlock", dead("redis", 1, 2)).servers_missing, 0);
  EXPECT_EQ(measured("redlock", dead("redis", 1, 3)).servers_missing, 1);
  for (const std::string_view lock : {"zookeeper-lock", "etcd-mutex"}) {
    const std::string_view server = lock == "etcd-mutex" ? "etcd" : "zookeeper";
    EXPECT_EQ(measured(lock, "").servers_missing, 0) << lock;
    EXPECT_EQ(measured(lock, dead(server, 1, 1)).servers_missing, 0) << lock;
    EXPECT_EQ(measured(lock, dead(server, 1, 3)).servers_missing, 2) << lock;
  }
}

TEST(Measure, OfOneServerNoneMayStayDead) {
  constexpr std::string_view kDies = "[[fault]]\nkind = \"kill\"\nnode = \"redis\"\nat = \"1s\"\n";
  EXPECT_EQ(measured("set-nx-px", fmt::format("{}stays = true\n", kDies)).servers_missing, 1);
  EXPECT_EQ(measured("set-nx-px", kDies).servers_missing, 0) << "it boots again when faults are healed";
}

TEST(Measure, AnUnansweredAcquireOrReleaseCounts) {
  const auto cut = [](std::string_view lock, std::string_view when) {
    return measured(lock, fmt::format("[[fault]]\nkind = \"partition\"\nbetween = \"a\"\non = \"{}\"\nlasts = \"8s\"\n",
                                      when))
        .unanswered_requests;
  };
  EXPECT_EQ(measured("set-nx-px", "").unanswered_requests, 0);
  EXPECT_GT(cut("set-nx-px", "a acquires"), 0);
  EXPECT_GT(cut("set-nx-px", "a releases"), 0);
}

// Its answer says so, and its session keeps what it left.
TEST(Measure, AReleaseThatReachesNoServerLeavesItsHoldBehind) {
  std::string all_die;
  for (int i = 1; i <= 3; ++i)
    all_die += fmt::format("[[fault]]\nkind = \"kill\"\nnode = \"etcd{}\"\nat = \"3300ms\"\n", i);
  EXPECT_EQ(measured("etcd-mutex", "").unanswered_requests, 0);
  EXPECT_EQ(measured("etcd-mutex", all_die).unanswered_requests, 1);
}

// A client of the lock service whose member has no majority renews nothing, and holds on.
TEST(Measure, ALeaseOfTheLockServiceThatIsRenewedLateBreaksAnAssumption) {
  const auto met = [](std::string_view faults) {
    const ScenarioFile file = read_scenario(
        fmt::format("lock = {{ name = \"etcd-lock-rpc\", ttl = \"1s\" }}\n"
                    "clients = [ {{ name = \"a\", start = \"1s\", hold = \"60s\", on-loss = \"ignore\" }},\n"
                    "            {{ name = \"b\", start = \"2s\" }} ]\n{}\n[phases]\nload = \"12s\"\n",
                    faults),
        "late.toml");
    const auto runner = compile(file.scenario);
    const RunResult& r = runner->run(1);
    return std::pair{all_met(r.assumptions, Property::mutual_exclusion),
                     verdict(r, Property::mutual_exclusion) == Verdict::violated};
  };
  EXPECT_EQ(met(""), (std::pair{true, false}));
  const std::string two_die =
      "[[fault]]\nkind = \"kill\"\nnode = \"etcd1\"\nat = \"3s\"\nrestart-after = \"3s\"\n"
      "[[fault]]\nkind = \"kill\"\nnode = \"etcd2\"\nat = \"3s\"\nrestart-after = \"3s\"\n";
  EXPECT_EQ(met(two_die), (std::pair{false, true}));
}

// A dead server's client pauses for up to a second before it asks the next one.
TEST(Measure, TheTimeWithoutAConnectionIsMeasuredAtZooKeepersClients) {
  EXPECT_EQ(measured("zookeeper-lock", "").disconnection_ns, 0);
  const auto late = runner_of("zookeeper_late_reconnection.toml");
  std::int64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::int64_t without = late->run(seed).executed.disconnection_ns;
    EXPECT_GT(without, 0) << seed;
    longest = std::max(longest, without);
  }
  EXPECT_GT(longest, milliseconds(600).ns);
  EXPECT_LT(longest, seconds(3).ns);
}

// Operators of each service; a lock assumes that none ends a hold wherever a scenario has one.
TEST(Measure, HoldsThatAnOperatorEndsAreCounted) {
  EXPECT_EQ(measured("set-nx-px", "").forced_releases, 0);
  const auto assumed = [](const RunResult& r) {
    return std::any_of(r.assumptions.begin(), r.assumptions.end(), [](const Assessment& a) {
      return a.assumption.kind == AssumptionKind::no_forced_releases && !a.met;
    });
  };
  for (const char* const scenario :
       {"redisson_refused_renewal_takes_all_threads.toml", "etcd_renewal_of_a_revoked_lease.toml"}) {
    const auto runner = runner_of(scenario);
    const RunResult& r = runner->run(1);
    EXPECT_GT(r.executed.forced_releases, 0) << scenario;
    EXPECT_TRUE(assumed(r)) << scenario;
  }
  EXPECT_FALSE(assumed(runner_of("healthy_control.toml")->run(1)));
}

TEST(Measure, FailoversAndLossesOfEveryServiceCount) {
  EXPECT_EQ(measured("etcd-mutex", "").failovers, 0);
  EXPECT_GT(runner_of("etcd_leader_failover_under_load.toml")->run(1).executed.failovers, 0);
  EXPECT_GT(runner_of("zookeeper_leader_dies_under_load.toml")->run(1).executed.failovers, 0);
  EXPECT_EQ(measured("zookeeper-lock", dead("zookeeper", 1, 1)).data_losses, 0);
  EXPECT_EQ(runner_of("zookeeper_diff_read.toml")->run(1).executed.data_losses, 0);
  EXPECT_GT(runner_of("zookeeper_truncation_reloads.toml")->run(1).executed.data_losses, 0) << "ZOOKEEPER-4837";
}

// The lease of 300 ms ends at 3.3 s, and the server is asked nothing before the release.
TEST(Measure, AKeyIsLostThatWouldHaveRunOutAfterTheLoad) {
  const auto killed = [](std::string_view at, std::string_view appendonly) {
    return measured("set-nx-px",
                    fmt::format("[[fault]]\nkind = \"kill\"\nnode = \"redis\"\nat = \"{}\"\nrestart-after = \"0s\"\n"
                                "[redis]\nappendonly = \"{}\"\n",
                                at, appendonly),
                    ", ttl = \"300ms\"")
        .data_losses;
  };
  EXPECT_EQ(killed("3200ms", "no"), 1);
  EXPECT_EQ(killed("3400ms", "no"), 0) << "it had run out before";
  EXPECT_EQ(killed("3200ms", "always"), 0) << "it was on the disk";
}

// A lock asks for a session of 100 ms, and the servers grant 4 s: so long may its client stop.
TEST(Measure, BoundsFollowTheLeaseThatIsGranted) {
  const ScenarioFile file = read_scenario("lock = { name = \"zookeeper-lock\", session = \"100ms\" }\n", "bounds.toml");
  const LockKind& kind = *find_lock_kind("zookeeper-lock");
  const auto assumed =
      assumptions_of(kind, file.scenario.lock.options, file.scenario.services, file.scenario.request_timeout);
  EXPECT_EQ(print(assumed[0]), "pauses-shorter-than(666.7 ms)");
}

}  // namespace
}  // namespace picklock
