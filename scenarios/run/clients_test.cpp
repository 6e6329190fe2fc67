// Clients of several locks, several clients of one process, and operators.
#include <gtest/gtest.h>

#include "algorithms/redis/set_nx_px.hpp"
#include "faults/kill.hpp"
#include "scenarios/run/lock_lab.hpp"
#include "scenarios/run/run_lab.hpp"
#include "scenarios/services/redis/redis_spec.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

Scenario scenario_of(std::vector<ClientSpec> clients, std::string lock = "test-lock") {
  add_lab_lock();
  Scenario s;
  s.lock.name = std::move(lock);
  s.clients = std::move(clients);
  return s;
}

ClientSpec client(std::string name, std::vector<std::string> locks = {}) {
  ClientSpec c;
  c.name = std::move(name);
  c.locks = std::move(locks);
  return c;
}

std::vector<std::string> places_of_problems(const Scenario& s) {
  std::vector<std::string> all;
  for (const ScenarioProblem& p : problems_of(s)) all.push_back(p.where + ": " + p.found);
  return all;
}

// "a acquire x ok": what clients did, the probe left out, in order.
std::vector<std::string> operations(const History& h, std::string_view of = {}) {
  constexpr std::string_view kTypes[] = {"?", "ok", "fail", "info"};
  std::vector<std::string> all;
  for (const OperationEvent& e : h.operations) {
    const std::string client(h.names.view(h.holds[e.hold].client));
    if (client == "probe" || (!of.empty() && client != of)) continue;
    const std::string_view f = h.names.view(h.functions[e.f]);
    if (f == "read" || f == "write") continue;
    all.push_back(client + " " + std::string(f) + " " + std::string(h.names.view(e.object)) + " " +
                  std::string(kTypes[static_cast<int>(e.type)]));
  }
  return all;
}

TEST(Clients, LocksAreTakenInOrderAndGivenBackInReverse) {
  const auto runner = compile(scenario_of({client("a", {"x", "y"})}));
  const RunResult& r = runner->run(1);
  EXPECT_EQ(operations(*r.history),
            (std::vector<std::string>{"a acquire x ?", "a acquire x ok", "a acquire y ?", "a acquire y ok",
                                      "a release y ?", "a release y ok", "a release x ?", "a release x ok"}));
  EXPECT_EQ(verdict(r, Property::double_grant), Verdict::undecided) << "for want of contention";
  EXPECT_EQ(verdict(r, Property::never_free_again), Verdict::holds) << "the probe asks for each lock";
  // x and y are two holds, each granted by its own key.
  std::vector<std::string> granted;
  for (const GrantEvent& g : r.history->grants) {
    if (g.change == GrantChange::begin) granted.emplace_back(r.history->names.view(r.history->holds[g.hold].lock));
  }
  EXPECT_EQ(granted, (std::vector<std::string>{"x", "y", "x", "y"})) << "a's, then the probe's";
}

TEST(Clients, WhoGivesBackTheOldestFirstReleasesInTheOrderOfTheAcquires) {
  Scenario s = scenario_of({client("a", {"x", "y", "x"})});
  s.clients[0].releases = ReleaseOrder::oldest_first;
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  const std::vector<std::string> done = operations(*r.history);
  ASSERT_EQ(done.size(), 12u);
  EXPECT_EQ(std::vector<std::string>(done.begin() + 6, done.end()),
            (std::vector<std::string>{"a release x ?", "a release x ok", "a release y ?", "a release y ok",
                                      "a release x ?", "a release x ok"}));
  // x is believed in until its second release.
  std::int64_t ended = 0, last = 0;
  for (const BeliefEvent& b : r.history->beliefs) {
    if (b.hold == 1 && b.end == BeliefEnd::released) ended = b.time;
  }
  for (const OperationEvent& e : r.history->operations) {
    if (e.hold == 1 && e.type == OperationType::invoke) last = e.time;
  }
  EXPECT_EQ(ended, last);
}

TEST(Clients, AWriterThatGivesBackTheWriteLockFirstIsAnotherHoldFromThenOnAReader) {
  Scenario s = scenario_of({client("a", {"x", "x:read"}), client("b", {"x"})}, "curator-read-write-lock");
  s.clients[0].releases = ReleaseOrder::oldest_first;
  s.clients[1].start = Law::constant(milliseconds(100));
  const auto runner = compile(s);
  const History& h = *runner->run(1).history;
  std::vector<HoldId> of_a;
  for (HoldId id = 1; id < h.holds.size(); ++id) {
    if (h.names.view(h.holds[id].client) == "a") of_a.push_back(id);
  }
  ASSERT_EQ(of_a.size(), 2u);
  EXPECT_EQ(h.holds[of_a[0]].mode, HoldMode::write);
  EXPECT_EQ(h.holds[of_a[1]].mode, HoldMode::read);
  std::vector<std::int64_t> write, read;  // begins, ends
  for (const BeliefEvent& b : h.beliefs) {
    if (b.hold == of_a[0]) write.push_back(b.time);
    if (b.hold == of_a[1]) read.push_back(b.time);
  }
  ASSERT_EQ(write.size(), 2u);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(write[1], read[0]);
  EXPECT_GE(read[1] - read[0], milliseconds(50).ns) << "it reads on";
  // A client writes with the write lock, and reads with the read lock.
  for (const EffectEvent& e : h.effects) {
    EXPECT_FALSE(e.hold == of_a[1] && e.kind == EffectKind::write);
  }
  EXPECT_EQ(std::count_if(h.effects.begin(), h.effects.end(),
                          [&](const EffectEvent& e) { return e.hold == of_a[0] && e.kind == EffectKind::write; }),
            1);
}

TEST(Clients, DifferentLocksDoNotExcludeOneAnotherNorShareAResource) {
  Scenario s = scenario_of({client("a", {"x"}), client("b", {"y"})});
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  EXPECT_EQ(of(r.findings, Property::mutual_exclusion).missing, Sometimes::contention);
  EXPECT_EQ(of(r.findings, Property::lost_update).missing, Sometimes::resource_shared);
  EXPECT_GE(r.history->beliefs.size(), 4u);
  EXPECT_LT(r.history->beliefs[1].time - r.history->beliefs[0].time, milliseconds(1).ns) << "both at once";
}

TEST(Clients, TheSameLockTwiceIsOneHold) {
  const auto runner = compile(scenario_of({client("a", {"x", "x"}), client("b", {"x"})}));
  const RunResult& r = runner->run(1);
  std::vector<HoldId> holds;
  for (const OperationEvent& e : r.history->operations) {
    if (r.history->holds[e.hold].client == r.history->holds[1].client) holds.push_back(e.hold);
  }
  EXPECT_GE(holds.size(), 8u);
  EXPECT_EQ(std::count(holds.begin(), holds.end(), holds.front()), std::ssize(holds));
  EXPECT_EQ(operations(*r.history, "a").size(), 8u);
  EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::holds);
  // The belief ends with the outermost release.
  const BeliefEvent* end = nullptr;
  for (const BeliefEvent& b : r.history->beliefs) {
    if (b.hold == holds.front() && b.end == BeliefEnd::released) end = &b;
  }
  ASSERT_NE(end, nullptr);
  std::int64_t last = 0;
  for (const OperationEvent& e : r.history->operations) {
    if (e.hold == holds.front() && e.type == OperationType::invoke) last = e.time;
  }
  EXPECT_EQ(end->time, last);
}

TEST(Clients, AMultiLockHoldsEachOfItsNames) {
  Scenario s = scenario_of({client("a", {"x+y"}), client("b", {"y"})});
  s.clients[1].start = Law::constant(milliseconds(10));
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  const History& h = *r.history;
  ASSERT_GE(h.holds.size(), 5u);
  EXPECT_EQ(h.names.view(h.holds[1].lock), "x+y");
  EXPECT_EQ(h.names.view(h.holds[2].lock), "x");
  EXPECT_EQ(h.names.view(h.holds[3].lock), "y");
  ASSERT_GE(h.grants.size(), 2u);
  EXPECT_EQ(h.grants[0].hold, 2u);
  EXPECT_EQ(h.grants[1].hold, 3u);
  EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::holds);
  EXPECT_EQ(verdict(r, Property::wrong_release), Verdict::holds);
}

TEST(Clients, ThreadsOfAMachineDieTogetherAndAreProcessesOfTheHistory) {
  ClientSpec a = client("a"), b = client("b");
  a.machine = b.machine = "jvm";
  b.start = Law::constant(milliseconds(10));
  Scenario s = scenario_of({a, b, client("c")}, "set-nx-px");
  s.clients[2].start = Law::constant(milliseconds(20));
  KillOptions k;
  k.node = "jvm";
  s.faults = {fault("kill", "a enters", k)};
  s.faults[0].trigger.offset = milliseconds(15);
  const auto runner = compile(s);
  EXPECT_EQ(runner->cast().machines, (std::vector<std::string>{"world", "redis", "storage", "jvm", "c", "probe"}));
  const RunResult& r = runner->run(1);
  EXPECT_EQ(r.executed.kills, 1);
  std::vector<std::string> died;
  for (const ProcessEvent& e : r.history->processes) {
    if (e.change == ProcessChange::died) died.emplace_back(r.history->names.view(e.client));
  }
  EXPECT_EQ(died, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(r.history->holds[1].process, 0);
  EXPECT_EQ(r.history->holds[2].process, 1);
  EXPECT_EQ(r.history->names.view(r.history->holds[2].client), "b");
}

TEST(Clients, ATriggerNamesTheMachineOrTheThread) {
  ClientSpec a = client("a"), b = client("b");
  a.machine = b.machine = "jvm";
  b.start = Law::constant(milliseconds(10));
  const auto struck_at = [&](const std::string& on) {
    Scenario s = scenario_of({a, b}, "set-nx-px");
    s.faults = {pause("jvm", on, milliseconds(1))};
    const auto runner = compile(s);
    const History& h = *runner->run(1).history;
    for (const ProcessEvent& e : h.processes) {
      if (e.change == ProcessChange::stopped) return e.time / 1'000'000;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(struck_at("jvm enters"), 0);
  EXPECT_EQ(struck_at("a enters"), 0);
  EXPECT_GE(struck_at("b enters"), 50) << "once a has released";
  EXPECT_EQ(struck_at("jvm.b enters"), struck_at("b enters"));
  Scenario s = scenario_of({a, b}, "set-nx-px");
  s.faults.resize(1);
  s.faults[0].kind = "pause";
  s.faults[0].trigger.on = "d enters";
  EXPECT_EQ(places_of_problems(s), (std::vector<std::string>{"fault[0].on: d enters"}));
}

TEST(Clients, AnOperatorEndsAHoldByForce) {
  Scenario s = scenario_of({client("a"), client("ops"), client("b")});
  s.clients[1].role = ClientRole::operator_;
  s.clients[1].start = Law::constant(milliseconds(20));
  s.clients[2].start = Law::constant(milliseconds(30));
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  EXPECT_EQ(operations(*r.history, "ops"), (std::vector<std::string>{"ops force lock ?", "ops force lock ok"}));
  EXPECT_EQ(verdict(r, Property::mutual_exclusion), Verdict::violated) << "a works on";
  EXPECT_EQ(verdict(r, Property::double_grant), Verdict::holds) << "a declared force ends the promise";
  std::vector<GrantChange> forced;
  for (const GrantEvent& g : r.history->grants) {
    if (g.hold == 1) forced.push_back(g.change);
  }
  EXPECT_EQ(forced, (std::vector{GrantChange::begin, GrantChange::forced}));
}

TEST(Clients, TwoLocksInOppositeOrdersCloseACircleAndALeaseOpensIt) {
  Scenario s = scenario_of({client("a", {"x", "y"}), client("b", {"y", "x"})});
  s.clients[0].between = s.clients[1].between = Law::constant(milliseconds(20));
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  const Finding& v = of(r.findings, Property::deadlock);
  EXPECT_EQ(v.verdict, Verdict::violated);
  const std::string words = explain(v, *r.history, r.judged_with);
  EXPECT_NE(words.find("holds x and waits for y since 20."), std::string::npos) << words;
  EXPECT_NE(words.find("holds y and waits for x since 20."), std::string::npos) << words;
  EXPECT_NE(words.find("as the service no longer named its owner"), std::string::npos) << words;
  s.clients[1].locks = {"x", "y"};
  const auto in_one_order = compile(s);
  EXPECT_EQ(verdict(in_one_order->run(1), Property::deadlock), Verdict::holds);
}

TEST(Clients, AReplicaIsAMachineOfItsOwnAndItsCopyNamesNobody) {
  Scenario s = scenario_of({client("a"), client("b")}, "set-nx-px");
  s.services.of<RedisSpec>().topology.replicas = 1;
  const auto runner = compile(s);
  EXPECT_EQ(runner->cast().machines,
            (std::vector<std::string>{"world", "redis", "redis-replica1", "storage", "a", "b", "probe"}));
  const RunResult& r = runner->run(1);
  EXPECT_EQ(verdict(r, Property::double_grant), Verdict::holds);
  std::size_t begun = 0;
  for (const GrantEvent& g : r.history->grants) begun += g.change == GrantChange::begin;
  EXPECT_EQ(begun, 3u) << "a's, b's and the probe's, each once";
}

TEST(Clients, SentinelsTellClientsWhoIsMasterOnceTheFirstIsDead) {
  Scenario s = scenario_of({client("a")}, "set-nx-px");
  s.services.of<RedisSpec>().topology.replicas = 1;
  s.services.of<RedisSpec>().topology.sentinels = 3;
  s.services.of<SentinelOptions>().down_after = milliseconds(500);
  SetNxPxOptions lock;
  lock.ttl = milliseconds(500);  // a's hold at the master's death expires at the next master
  s.lock.options = AnyOptions::of(lock);
  s.clients[0].rounds = 0;
  s.request_timeout = milliseconds(200);
  s.phases.load = seconds(15);
  KillOptions k;
  k.node = "redis";
  s.faults = {fault("kill", "", k)};
  s.faults[0].trigger.at = seconds(3);
  const auto runner = compile(s);
  const RunResult& r = runner->run(1);
  std::int64_t last = 0;
  for (const GrantEvent& g : r.history->grants) {
    if (g.change == GrantChange::begin && r.history->names.view(r.history->holds[g.hold].client) == "a") last = g.time;
  }
  EXPECT_GT(last, seconds(12).ns) << "the replica has been promoted, and a has found it";
}

TEST(Clients, WhatALockCannotDoIsAProblemOfTheScenario) {
  Scenario s = scenario_of({client("a", {"x:read"}), client("b", {"x+y"}), client("c", {"x+"})}, "set-nx-px");
  EXPECT_EQ(places_of_problems(s), (std::vector<std::string>{"clients[0].locks: 'x:read'", "clients[1].locks: 'x+y'",
                                                             "clients[2].locks: 'x+'"}));
  s = scenario_of({client("a"), client("b")}, "set-nx-px");
  s.clients[1].machine = "a";
  EXPECT_EQ(places_of_problems(s), (std::vector<std::string>{"clients[1].machine: 'a'"}));
  s = scenario_of({client("a", {"x", "x:read"})}, "redisson-read-write-lock");
  s.clients[0].releases = ReleaseOrder::oldest_first;
  EXPECT_EQ(places_of_problems(s),
            (std::vector<std::string>{"clients[0].releases: oldest-first, and a reader within a writer"}));
  s.clients[0].locks = {"x:read", "x"};
  EXPECT_TRUE(places_of_problems(s).empty());
  s = scenario_of({client("a"), client("b")}, "set-nx-px");
  s.clients[1].machine = "redis";
  EXPECT_EQ(places_of_problems(s), (std::vector<std::string>{"clients[1].machine: 'redis'"}));
}

}  // namespace
}  // namespace picklock
