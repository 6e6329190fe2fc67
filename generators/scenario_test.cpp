#include "generators/scenario.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "faults/text.hpp"
#include "generators/options.hpp"
#include "generators/plan.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

// Two clients, a short lease, a budget that ends what does not end by itself.
Scenario small_base(std::string lock) {
  Scenario s;
  s.name = "base";
  s.lock.kind = std::move(lock);
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
  const std::vector<FaultSpace::Node> nodes = {{"redis", NodeRole::server},
                                               {"storage", NodeRole::storage},
                                               {"a", NodeRole::client},
                                               {"b", NodeRole::client}};
  EXPECT_EQ(space.nodes, nodes);
  EXPECT_EQ(space.links.size(), 4U);
  ASSERT_FALSE(space.deadlines.empty());
  EXPECT_EQ(space.deadlines[0], (FaultSpace::Deadline{DeadlineKind::lease, seconds(30)}));
  for (const char* mark : {"acquires", "enters", "writes", "set"}) {
    EXPECT_EQ(std::count(space.marks.begin(), space.marks.end(), mark), 1) << mark;
  }
  EXPECT_EQ(std::count(space.marks.begin(), space.marks.end(), "getset"), 0);
  EXPECT_EQ(space.tasks, std::vector<std::string>{"renewal"});
  EXPECT_EQ(space.run_length, seconds(1));
}

RC_GTEST_PROP(ArbitraryScenario, CompilesAndRunsTheSameTwice, ()) {
  const std::string lock = *rc::gen::element<std::string>("setnx", "setnx-expire", "set-nx-px",
                                                          "set-nx-px-fenced", "getset-timestamp");
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

RC_GTEST_PROP(ArbitraryScenario, EveryShrinkIsSimplerAndCompiles, ()) {
  const Scenario s = *rc::gen::noShrink(arbitrary_scenario(small_base("set-nx-px")));
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
  struct Ttl final : ArbitraryFields {
    using ArbitraryFields::ArbitraryFields;
    using ArbitraryFields::field;
    void field(const FieldInfo&, bool&) override {}
    void field(const FieldInfo&, std::int64_t&) override {}
    void field(const FieldInfo& f, Duration& v) override {
      if (f.name == "ttl") v = milliseconds(100);
    }
    void field(const FieldInfo&, std::optional<Duration>&) override {}
    void field(const FieldInfo&, Law&) override {}
    void choice(const FieldInfo&, std::span<const std::string_view>, std::size_t&) override {}
  };
  const FaultSpace nothing;
  Ttl ttl(nothing);
  calm.lock.options.fields(ttl);

  const auto violates = [&](const FaultPlan& plan) {
    Scenario s = calm;
    s.faults = plan;
    const auto runner = compiled(s);
    const RunResult& r = runner->run(7);
    return of(r.verdicts, Property::mutual_exclusion).outcome == Ruling::violated;
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
