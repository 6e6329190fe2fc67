// The locks that hold by a session or a lease which is renewed (ZooKeeper's and etcd's): none of these assumptions
// is idle.  A run breaks one of them, and it alone, and two clients are in that should not be.
//
// Not tried alone: a lost power or a partition also delays messages for ever, and a failover is a kill; no-data-loss,
// which takes a defect of the servers (zookeeper_truncation_reloads).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <variant>

#include "algorithms/lock.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

constexpr std::string_view kPauses = "pauses-shorter-than", kDelays = "delays-shorter-than",
                           kRates = "clock-rates-within", kKills = "no-kills",
                           kDisconnections = "disconnections-shorter-than";

bool assumes(const LockKind& kind, std::string_view name) {
  return std::any_of(kind.assumptions.begin(), kind.assumptions.end(),
                     [&](const AssumptionOf& a) { return a.name == name; });
}

std::vector<std::string> session_locks(std::string_view assumption) {
  std::vector<std::string> names;
  for (const LockKind& k : lock_kinds()) {
    const bool session = k.service == "zookeeper" || k.service == "etcd";
    if (session && k.claims.mutual_exclusion && assumes(k, assumption)) names.emplace_back(k.name);
  }
  return names;
}

// a works for longer than all the rest takes, and so does as many others as may be in beside it; b comes later.
std::string scenario_of(const LockKind& kind, std::string_view options, std::string_view more, std::string_view fault) {
  const std::int64_t seats = kind.permits != nullptr ? kind.permits(*kind.default_options()) : 1;
  std::string text =
      fmt::format("lock = {{ name = \"{}\"{} }}\nworkload = \"counter\"\nclients = [\n", kind.name, options);
  text += "  { name = \"a\", start = \"3s\", hold = \"90s\", on-loss = \"ignore\" },\n";
  for (std::int64_t i = 1; i < seats; ++i) {
    text += fmt::format("  {{ name = \"beside{}\", start = \"4s\", hold = \"90s\" }},\n", i);
  }
  text += fmt::format("  {{ name = \"b\", start = \"8s\", hold = \"1s\" }},\n{}]\n", more);
  return text + fmt::format("[[fault]]\n{}\n[phases]\nload = \"150s\"\n", fault);
}

// That assumption and no other is broken, and with it mutual exclusion; without the fault neither is.
void breaks_alone(const std::string& name, std::string_view assumption, std::string_view fault,
                  std::string_view more = {}, std::string_view options = {}) {
  const ScenarioFile file = read_scenario(scenario_of(*find_lock_kind(name), options, more, fault), "session.toml");
  ASSERT_TRUE(file.ok()) << print(file.errors[0]);
  for (const bool injected : {true, false}) {
    Scenario scenario = file.scenario;
    if (!injected) scenario.faults.clear();
    auto compiled = Runner::compile(scenario);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled));
    auto& runner = *std::get<std::unique_ptr<Runner>>(compiled);
    const RunResult& r = runner.run(1);
    for (const Assessment& a : r.assumptions) {
      const bool meant = info(a.assumption.kind).name == assumption;
      // Who loses its session is without a connection, whatever the cause.
      if (!meant && info(a.assumption.kind).name == kDisconnections) continue;
      EXPECT_EQ(a.met, !(injected && meant)) << name << ": " << print(a);
    }
    EXPECT_EQ(of(r.findings, Property::mutual_exclusion).verdict, injected ? Verdict::violated : Verdict::holds)
        << name;
  }
}

TEST(SessionAssumptions, ABrokenPausesShorterThanLetsTwoIn) {
  for (const std::string& name : session_locks(kPauses)) {
    breaks_alone(name, kPauses, "kind = \"pause\"\nnode = \"a\"\non = \"a enters\"\noffset = \"10s\"\nlasts = \"60s\"");
  }
}

TEST(SessionAssumptions, ABrokenDelaysShorterThanLetsTwoIn) {
  for (const std::string& name : session_locks(kDelays)) {
    breaks_alone(name, kDelays,
                 "kind = \"delay\"\nfrom = \"a\"\nby = \"60s\"\non = \"a enters\"\noffset = \"10s\"\nlasts = \"40s\"");
  }
}

TEST(SessionAssumptions, ABrokenClockRatesWithinLetsTwoIn) {
  for (const std::string& name : session_locks(kRates)) {
    breaks_alone(name, kRates, "kind = \"clock-drift\"\nnode = \"a\"\nppm = -900000\non = \"a enters\"");
  }
}

// The one server dies and boots at once, and its clients come back up to a second later: a session of 150 ms is over.
TEST(SessionAssumptions, ABrokenDisconnectionsShorterThanLetsTwoIn) {
  for (const std::string& name : session_locks(kDisconnections)) {
    if (find_lock_kind(name)->service == "etcd") continue;
    if (assumes(*find_lock_kind(name), kKills)) continue;  // a death is no disconnection alone
    if (name == "curator-leader-latch") continue;  // it queues up anew when it comes back, and may be the first again
    breaks_alone(
        name, kDisconnections,
        "kind = \"kill\"\nnode = \"zookeeper1\"\nat = \"12s\"\nrestart-after = \"1ms\"\n[zookeeper]\nservers = "
        "1\ntick = \"50ms\"\n",
        {}, ", session = \"150ms\"");
  }
}

// The one member is away for four seconds: the client gives its lease up, and the member ends it.
TEST(SessionAssumptions, ABrokenDisconnectionsShorterThanEndsALease) {
  for (const std::string& name : session_locks(kDisconnections)) {
    if (find_lock_kind(name)->service != "etcd") continue;
    breaks_alone(name, kDisconnections,
                 "kind = \"kill\"\nnode = \"etcd1\"\nat = \"12s\"\nrestart-after = \"4s\"\n[etcd]\nmembers = 1\n"
                 "heartbeat = \"20ms\"\nelection = \"200ms\"\n",
                 "  { name = \"c\", start = \"30s\", hold = \"1s\" },\n", ", ttl = \"1s\"");
  }
}

// Of the locks that assume it: a waiter's death wakes the next one, who takes it for a release.
TEST(SessionAssumptions, ABrokenNoKillsLetsTwoIn) {
  breaks_alone("zk-lock", kKills, "kind = \"kill\"\nnode = \"b\"\nat = \"12s\"\nstays = true",
               "  { name = \"c\", start = \"9s\", hold = \"1s\" },\n");
}

TEST(SessionAssumptions, EveryLockOnASessionStatesThem) {
  for (const std::string_view assumption : {kPauses, kDelays, kRates}) {
    EXPECT_GT(session_locks(assumption).size(), 20U) << assumption;
  }
  for (const std::string& name : session_locks(kPauses)) {
    const LockKind& kind = *find_lock_kind(name);
    if (kind.service == "zookeeper") {
      EXPECT_TRUE(assumes(kind, kDisconnections)) << name;
    }
  }
}

}  // namespace
}  // namespace picklock
