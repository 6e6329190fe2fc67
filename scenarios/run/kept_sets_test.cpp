// Sets that are kept in the lock's own service: what stands of them in the history.
#include <algorithm>
#include <map>
#include <set>

#include "scenarios/run/run_lab.hpp"

namespace picklock {
namespace {

// A client's writes, as the interface ended them.
std::vector<OperationType> ends_of_writes(const History& h, std::string_view client) {
  std::vector<OperationType> ends;
  for (const OperationEvent& e : h.operations) {
    const bool wrote = h.names.view(h.functions[e.f]) == "write" && e.type != OperationType::invoke;
    if (wrote && h.names.view(h.holds[e.hold].client) == client) ends.push_back(e.type);
  }
  return ends;
}

std::int64_t effects_of(const History& h, std::string_view client, EffectKind kind) {
  return std::count_if(h.effects.begin(), h.effects.end(), [&](const EffectEvent& e) {
    return e.kind == kind && h.names.view(h.holds[e.hold].client) == client;
  });
}

struct WriteCase {
  const char* scenario;
  std::set<OperationType> ends;  // possible ends of the write by a, which is stopped or cut off
  std::int64_t applied, refused;
};

TEST(KeptSets, AWriteIsWhatTheServersHaveAppliedAndItsEndIsWhatWasAnswered) {
  const WriteCase cases[] = {
      {"etcd_set_unguarded", {OperationType::ok}, 1, 0},
      {"etcd_set_unguarded/guarded_by_owner", {OperationType::fail}, 0, 1},
      {"zookeeper_set_unguarded", {OperationType::ok}, 1, 0},
      // A first attempt that has left was not answered: for all that a client can know it may have been done, …
      {"zookeeper_set_unguarded/guarded", {OperationType::fail, OperationType::info}, 0, 1},
      // … as here it was.
      {"zookeeper_set_answer_lost", {OperationType::info}, 1, 1},
      {"zookeeper_set_guarded_by_version", {OperationType::fail}, 0, 1},
  };
  for (const WriteCase& c : cases) {
    std::set<OperationType> ends;
    const auto runner = runner_of(c.scenario);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const History& h = *runner->run(seed).history;
      const auto of_a = ends_of_writes(h, "a");
      ends.insert(of_a.begin(), of_a.end());
      EXPECT_EQ(of_a.size(), 1u) << c.scenario;
      EXPECT_EQ(ends_of_writes(h, "b"), std::vector{OperationType::ok}) << c.scenario;
      EXPECT_EQ(effects_of(h, "a", EffectKind::write), c.applied) << c.scenario;
      EXPECT_EQ(effects_of(h, "a", EffectKind::refused_write), c.refused) << c.scenario;
    }
    EXPECT_EQ(ends, c.ends) << c.scenario;
  }
}

TEST(KeptSets, VersionsGrowAndEachWriteSaysFromWhichItWasComputed) {
  for (const char* scenario : {"etcd_set_guarded", "etcd_set_unguarded", "zookeeper_set_unguarded"}) {
    const auto runner = runner_of(scenario);
    const History& h = *runner->run(1).history;
    std::map<HoldId, std::uint64_t> read;
    std::uint64_t last = 0;
    int writes = 0;
    for (const EffectEvent& e : h.effects) {
      if (e.kind == EffectKind::read) read[e.hold] = e.version;
      if (e.kind != EffectKind::write) continue;
      ++writes;
      EXPECT_GT(e.version, last) << scenario;
      EXPECT_EQ(e.read_version, read.at(e.hold)) << scenario;
      EXPECT_TRUE(e.acknowledged) << scenario;
      last = e.version;
    }
    EXPECT_EQ(writes, 2) << scenario << ": a server that repeats what another has applied adds nothing";
  }
}

TEST(KeptSets, TheProbeReadsThemWhereTheyAre) {
  for (const char* scenario : {"etcd_set_guarded", "zookeeper_set_unguarded/guarded"}) {
    const auto runner = runner_of(scenario);
    const History& h = *runner->run(1).history;
    const auto read = std::find_if(h.operations.rbegin(), h.operations.rend(), [&](const OperationEvent& e) {
      return h.names.view(h.functions[e.f]) == "final-read" && e.type == OperationType::ok;
    });
    ASSERT_NE(read, h.operations.rend()) << scenario;
    ASSERT_TRUE(read->value.is_integer()) << scenario;
    EXPECT_GT(read->value.number(), 0) << scenario;
  }
}

TEST(KeptSets, NeedTheServiceOfTheirLock) {
  const auto said = [](const char* lock, const char* workload) {
    Scenario s;
    s.lock.name = lock;
    s.workload.kind = workload;
    s.clients = {ClientSpec()};
    s.clients[0].name = "a";
    const auto problems = problems_of(s);
    return problems.empty() ? std::string() : problems[0].expected;
  };
  EXPECT_EQ(said("set-nx-px", "etcd-set"), "a workload that needs no etcd, as set-nx-px asks none");
  EXPECT_EQ(said("etcd-mutex", "zookeeper-set"), "a workload that needs no ZooKeeper, as etcd-mutex asks none");
  EXPECT_EQ(said("curator-multi-lock", "zookeeper-set"),
            "one that asks for no node of the lock, as curator-multi-lock has several");
  EXPECT_EQ(said("curator-mutex", "zookeeper-set"), "");
  EXPECT_EQ(said("zookeeper-herd-lock", "zookeeper-set"), "");
}

}  // namespace
}  // namespace picklock
