#include "scenarios/generators/scenario.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "faults/text.hpp"
#include "scenarios/generators/options.hpp"
#include "scenarios/generators/plan.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/services/redis/redis_spec.hpp"

namespace picklock {
namespace {

// Two clients, a short lease, a budget that ends what does not end by itself.
Scenario small_base(std::string lock) {
  Scenario s;
  s.name = "base";
  s.lock.name = std::move(lock);
  s.clients = {ClientSpec{}, ClientSpec{}};
  s.clients[0].name = "a";
  s.clients[1].name = "b";
  s.phases.load = seconds(1);
  s.event_budget = 100'000;
  return s;
}

std::unique_ptr<Runner> compiled(const Scenario& s) {
  auto result = Runner::compile(s);
  if (auto* const problems = std::get_if<std::vector<ScenarioProblem>>(&result)) {
    std::string text;
    for (const ScenarioProblem& p : *problems) {
      text += p.where + ": " + p.found + ", expected " + p.expected + '\n';
    }
    ADD_FAILURE() << text;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<Runner>>(result));
}

TEST(FaultSpaceOfScenario, FindsMachinesLinksDeadlinesAndMarks) {
  const FaultSpace space = fault_space_of(small_base("set-nx-px"));
  const std::vector<FaultSpace::Node> nodes = {
      {"redis", NodeRole::server}, {"storage", NodeRole::storage}, {"a", NodeRole::client}, {"b", NodeRole::client}};
  EXPECT_EQ(space.nodes, nodes);
  EXPECT_EQ(space.links.size(), 4U);
  ASSERT_FALSE(space.deadlines.empty());
  EXPECT_EQ(space.deadlines[0], (FaultSpace::Deadline{DeadlineKind::lease, seconds(30)}));
  for (const char* mark : {"acquires", "enters", "writes", "set"}) {
    EXPECT_EQ(std::count(space.marks.begin(), space.marks.end(), mark), 1) << mark;
  }
  EXPECT_EQ(std::count(space.marks.begin(), space.marks.end(), "getset"), 0);
  EXPECT_EQ(space.tasks, (std::vector<std::string>{"renewal", "main"}));
  EXPECT_EQ(space.run_length, seconds(1));
}

RC_GTEST_PROP(ArbitraryScenario, CompilesAndRunsTheSameTwice, ()) {
  const std::string lock =
      *rc::gen::element<std::string>("setnx", "setnx-expire", "set-nx-px", "set-nx-px-fenced", "getset-timestamp");
  const Scenario s = *arbitrary_scenario(small_base(lock));
  const auto first = compiled(s), second = compiled(s);
  RC_ASSERT(first != nullptr);
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const RunResult once = first->run(seed);
  RC_ASSERT(once.error == "");
  RC_ASSERT(second->run(seed).digest == once.digest);
  first->run(seed + 1);
  RC_ASSERT(first->run(seed).digest == once.digest);
}

RC_GTEST_PROP(ArbitraryScenario, OfAnyLockCompilesAndRuns, ()) {
  const Scenario s = *arbitrary_scenario(small_base("set-nx-px"), {.any_lock = true});
  const auto runner = compiled(s);
  RC_ASSERT(runner != nullptr);
  RC_ASSERT(runner->run(1).error == "");
}

// The generator reaches all that it is there for: the count of scenarios that have it.
TEST(ArbitraryScenario, ReachesEveryPartOfTheSpace) {
  const auto gen = arbitrary_scenario(small_base("set-nx-px"), {.any_lock = true});
  std::map<std::string, int> seen;
  std::set<std::string> locks;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Scenario s = gen(rc::Random(seed), 100).value();
    locks.insert(s.lock.name);
    seen["replicas"] += s.services.of<RedisSpec>().topology.replicas > 0;
    seen["sentinels"] += s.services.of<RedisSpec>().topology.sentinels > 0;
    seen["clocks"] += !s.clocks.empty();
    seen["links"] += !s.links.empty();
    for (const ClientSpec& c : s.clients) {
      seen["threads"] += !c.machine.empty();
      seen["operators"] += c.role == ClientRole::operator_;
      for (std::size_t i = 0; i < c.locks.size(); ++i) {
        seen["readers"] += c.locks[i].find(":read") != std::string::npos;
        seen["multi-locks"] += c.locks[i].find('+') != std::string::npos;
        seen["reentrant"] += i > 0 && c.locks[i] == c.locks[0];
        seen["nested"] += i > 0 && c.locks[i] != c.locks[0];
      }
    }
    for (const Fault& f : s.faults) {
      Fault copy = f;
      const std::string text = to_text(copy);
      seen["faults of replicas"] += text.find("replica") != std::string::npos;
      seen["faults of sentinels"] += text.find("sentinel") != std::string::npos;
    }
  }
  EXPECT_EQ(locks.size(), lock_kinds().size());
  for (const char* part : {"replicas", "sentinels", "clocks", "links", "threads", "operators", "readers", "multi-locks",
                           "reentrant", "nested", "faults of replicas", "faults of sentinels"}) {
    EXPECT_GT(seen[part], 0) << part;
  }
}

TEST(ArbitraryScenario, ShrinksEveryPartAway) {
  const auto gen = arbitrary_scenario(small_base("set-nx-px"), {.any_lock = true});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Scenario s = minimise(gen(rc::Random(seed), 100).value(), [](const Scenario&) { return true; });
    EXPECT_EQ(s.clients.size(), 1U);
    EXPECT_TRUE(s.clients[0].machine.empty() && s.clients[0].locks.empty());
    EXPECT_TRUE(s.clocks.empty() && s.links.empty() && s.faults.empty());
    EXPECT_EQ(s.services.of<RedisSpec>().topology, TopologySpec());
  }
}

RC_GTEST_PROP(ArbitraryScenario, WithinTheAssumptionsStepsAndRatesStayBelowThem, ()) {
  const ScenarioBounds tame{
      .mishaps = Mishaps::within, .options = false, .topology = false, .operators = false, .short_holds = true};
  const Scenario s = *arbitrary_scenario(small_base("set-nx-px"), tame);
  const auto runner = compiled(s);
  RC_ASSERT(runner != nullptr);
  for (const Assessment& a : runner->run(1).assumptions) {
    const AssumptionKind kind = a.assumption.kind;
    if (kind == AssumptionKind::clock_steps_below || kind == AssumptionKind::clock_rates_within) RC_ASSERT(a.met);
  }
}

RC_GTEST_PROP(ArbitraryScenario, EveryShrinkIsSimplerAndCompiles, ()) {
  const Scenario s = *rc::gen::noShrink(arbitrary_scenario(small_base("set-nx-px"), {.any_lock = true}));
  std::vector<Scenario> simpler = simplify(s);
  for (const Scenario& candidate : simpler) {
    RC_ASSERT(complexity(candidate) < complexity(s));
    RC_ASSERT(!candidate.clients.empty());
  }
  if (simpler.empty()) return;
  RC_ASSERT(compiled(simpler[*rc::gen::inRange<std::size_t>(0, simpler.size())]) != nullptr);
  if (s.clients.size() > 1) RC_ASSERT(compiled(simpler.front()) != nullptr);
}

RC_GTEST_PROP(ArbitraryClients, HaveNamesOfTheirOwnAndShrinkToOne, ()) {
  const FaultSpace space = {.deadlines = {{DeadlineKind::lease, seconds(1)}}};
  const auto clients = *rc::gen::noShrink(arbitrary_clients(space));
  RC_ASSERT(clients.size() >= 1U);
  RC_ASSERT(clients.size() <= 4U);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    RC_ASSERT(clients[i].name == std::string(1, static_cast<char>('a' + i)));
  }
  Scenario s;
  s.clients = clients;
  s = minimise(s, [](const Scenario&) { return true; });
  RC_ASSERT(s.clients.size() == 1U);
  ClientSpec usual;
  usual.name = s.clients[0].name;
  RC_ASSERT(s.clients[0] == usual);
}

// The way from some disaster to the one fault that makes it.
TEST(ArbitraryPlan, ShrinksABrokenLockToTheFaultThatBreaksIt) {
  Scenario calm = small_base("set-nx-px");
  calm.lock.options = AnyOptions(find_lock_kind("set-nx-px")->default_options());
  visit_fields(calm.lock.options, [](const FieldInfo& f, Duration& v) {
    if (f.name == "ttl") v = milliseconds(100);
  });

  const auto violates = [&](const FaultPlan& plan) {
    Scenario s = calm;
    s.faults = plan;
    const auto runner = compiled(s);
    const RunResult& r = runner->run(7);
    return of(r.findings, Property::mutual_exclusion).verdict == Verdict::violated;
  };
  ASSERT_FALSE(violates({}));
  const auto gen = arbitrary_plan(fault_space_of(calm));
  int found = 0;
  for (std::uint64_t seed = 0; seed < 2'000 && found < 5; ++seed) {
    const FaultPlan plan = gen(rc::Random(seed), 50).value();
    if (plan.size() < 2 || !violates(plan)) continue;
    ++found;
    const FaultPlan least = minimise(plan, violates);
    ASSERT_FALSE(least.empty());
    EXPECT_LE(least.size(), 2U) << to_text(least);
    for (const FaultPlan& simpler : simplify(least)) EXPECT_FALSE(violates(simpler));
  }
  EXPECT_EQ(found, 5);
}

}  // namespace
}  // namespace picklock
