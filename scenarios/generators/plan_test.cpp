#include "scenarios/generators/plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "base/text.hpp"
#include "faults/armed.hpp"
#include "faults/fault_kinds.hpp"
#include "faults/pause.hpp"
#include "faults/text.hpp"
#include "scenarios/generators/draw.hpp"
#include "scenarios/generators/simplify.hpp"

namespace picklock {
namespace plan_test {

const FaultSpace& small_space() {
  static const FaultSpace kSpace = {
      .nodes = {{"redis", NodeRole::server}, {"storage", NodeRole::storage}, {"a"}, {"b"}},
      .links = {{"a", "redis"}, {"b", "redis"}, {"a", "storage"}, {"b", "storage"}},
      .deadlines = {{DeadlineKind::lease, milliseconds(100)}},
      .marks = {"acquires", "enters", "writes", "set"},
      .tasks = {"renewal"},
      .run_length = seconds(2)};
  return kSpace;
}

std::vector<std::string> names_of(const FaultSpace& space) {
  std::vector<std::string> names;
  for (const auto& node : space.nodes) names.push_back(node.name);
  return names;
}

// Spaces with hardly anything in them as well.
rc::Gen<FaultSpace> arbitrary_space() {
  return rc::gen::exec([] {
    FaultSpace space = small_space();
    space.nodes.resize(*rc::gen::inRange<std::size_t>(1, 5));
    std::erase_if(space.links, [&](const FaultSpace::Link& link) {
      const auto names = names_of(space);
      return std::count(names.begin(), names.end(), link.from) == 0;
    });
    if (*rc::gen::arbitrary<bool>()) space.links.clear();
    if (*rc::gen::arbitrary<bool>()) space.deadlines.clear();
    space.marks.resize(*rc::gen::inRange<std::size_t>(0, 5));
    if (*rc::gen::arbitrary<bool>()) space.tasks.clear();
    space.run_length = {*rc::gen::element<std::int64_t>(0, 1, 1'000, 5'000'000'000)};
    return space;
  });
}

RC_GTEST_PROP(ArbitraryPlan, CompilesInItsSpace, ()) {
  const FaultSpace space = *rc::gen::noShrink(arbitrary_space());
  const FaultPlan plan = *arbitrary_plan(space);
  ArmedPlan armed;
  const auto error = armed.compile(plan, names_of(space));
  if (error) RC_FAIL(to_text(*error));
}

RC_GTEST_PROP(ArbitraryPlan, ComesBackFromItsText, ()) {
  const FaultPlan plan = *arbitrary_plan(small_space());
  FaultPlan read;
  const auto error = parse_plan(to_text(plan), read);
  if (error) RC_FAIL(to_text(*error));
  RC_ASSERT(read == plan);
}

RC_GTEST_PROP(Simplify, EachStepIsSimplerCompilesAndIsNew, ()) {
  const FaultPlan plan = *rc::gen::noShrink(arbitrary_plan(small_space()));
  ArmedPlan armed;
  for (const FaultPlan& simpler : simplify(plan)) {
    RC_ASSERT(complexity(simpler) < complexity(plan));
    RC_ASSERT(!(simpler == plan));
    const auto error = armed.compile(simpler, names_of(small_space()));
    if (error) RC_FAIL(to_text(simpler) + to_text(*error));
  }
  if (!plan.empty()) RC_ASSERT(simplify(plan).front().empty());
}

RC_GTEST_PROP(Simplify, EndsAfterFewSteps, ()) {
  const FaultPlan plan = *rc::gen::noShrink(arbitrary_plan(small_space()));
  // A test that nearly always fails: the way down is as long as it can be.
  std::uint64_t state = 1;
  int steps = 0;
  minimise(plan, [&](const FaultPlan& candidate) {
    state = state * 6'364'136'223'846'793'005 + 1;
    const bool fails = candidate.size() == plan.size() && state >> 62 != 0;
    steps += fails;
    return fails;
  });
  RC_ASSERT(steps < 400 * static_cast<int>(plan.size() + 1));
}

// --- what comes of it

TEST(ArbitraryPlan, ReachesEveryKindTriggerAndEdge) {
  const auto gen = arbitrary_plan(small_space());
  std::map<std::string, int> seen;
  std::map<std::size_t, int> sizes;
  std::map<std::size_t, int> kinds_in_threes;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const FaultPlan plan = gen(rc::Random(seed), 50).value();
    ++sizes[plan.size()];
    std::set<std::string> kinds;
    for (const Fault& f : plan) {
      kinds.insert(f.kind);
      ++seen[f.kind];
      ++seen[f.trigger.on.empty() ? "time" : "event"];
      ++seen[f.trigger.on.substr(0, f.trigger.on.find(' '))];
      if (f.trigger.count > 1) ++seen["counted"];
      if (f.trigger.offset.ns > 0) ++seen["offset"];
      if (f.kind == "pause") {
        const auto& o = f.options.as<PauseOptions>();
        if (!o.task.empty()) ++seen["task"];
        if (!o.lasts) {
          ++seen["open"];
        } else if (*o.lasts == milliseconds(100)) {
          ++seen["at the lease"];
        } else if (*o.lasts == milliseconds(100) + nanoseconds(1)) {
          ++seen["just beyond the lease"];
        } else if (*o.lasts == milliseconds(90)) {
          ++seen["nine tenths of it"];
        }
      }
    }
    if (plan.size() == 3) ++kinds_in_threes[kinds.size()];
  }
  for (const FaultKind& kind : fault_kinds()) EXPECT_GT(seen[std::string(kind.name)], 150) << kind.name;
  for (const char* what : {"time", "event", "before", "after", "a", "b", "counted", "offset", "task", "open",
                           "at the lease", "just beyond the lease", "nine tenths of it"}) {
    EXPECT_GT(seen[what], 3) << what;
  }
  EXPECT_GT(sizes[0], 100);
  EXPECT_GT(sizes[1], 400);
  EXPECT_GT(sizes[4], 100);
  EXPECT_GT(kinds_in_threes[1], 10) << "swarm: whole kinds are switched off";
  EXPECT_GT(kinds_in_threes[3], 10);
}

TEST(ArbitraryPlan, IsAFunctionOfTheSeed) {
  const auto gen = arbitrary_plan(small_space());
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(gen(rc::Random(seed), 50).value(), gen(rc::Random(seed), 50).value());
  }
}

// Does it pause a, from before 500 ms on, for 100 ms or more?
bool pauses_a(const FaultPlan& plan) {
  return std::any_of(plan.begin(), plan.end(), [](const Fault& f) {
    if (f.kind != "pause") return false;
    const auto& o = f.options.as<PauseOptions>();
    return o.node == "a" && (!o.lasts || o.lasts->low() >= milliseconds(100).ns);
  });
}

TEST(ArbitraryPlan, ShrinksToTheSimplestThatStillFails) {
  const auto gen = arbitrary_plan(small_space());
  int found = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const FaultPlan plan = gen(rc::Random(seed), 50).value();
    if (!pauses_a(plan)) continue;
    ++found;
    const FaultPlan least = minimise(plan, pauses_a);
    ASSERT_EQ(least.size(), 1U) << to_text(plan);
    EXPECT_EQ(least[0].trigger, Trigger{});
    const auto& o = least[0].options.as<PauseOptions>();
    ASSERT_TRUE(o.lasts);
    EXPECT_EQ(*o.lasts, milliseconds(100)) << to_text(plan) << to_text(least);
  }
  EXPECT_GT(found, 5);
}

// Some plans strike all servers at one instant, cut a client off from some servers, and set a clock by hours.
TEST(ArbitraryPlan, StrikesServersTogether) {
  FaultSpace space = small_space();
  space.nodes = {{"a", NodeRole::client}, {"s1", NodeRole::server}, {"s2", NodeRole::server}, {"s3", NodeRole::server}};
  space.links = {{"a", "s1"}, {"a", "s2"}, {"a", "s3"}};
  bool together = false, minority = false, hours = false;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const draw::Seeded seeded(seed);
    const FaultPlan plan = plan_over(space, {.least = 7, .most = 12, .swarm = false, .kinds = {}});
    EXPECT_LE(plan.size(), 12u);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const std::string text = to_text(plan[i]);
      minority = minority || text.find("between=\"a | s2\"") != std::string::npos;
      hours = hours || text.find("by=1h") != std::string::npos || text.find("by=-1h") != std::string::npos;
      if (i + 2 >= plan.size() || plan[i].kind != "power-loss") continue;
      together = together || (plan[i + 1].kind == "power-loss" && plan[i + 2].kind == "power-loss" &&
                              plan[i].trigger == plan[i + 1].trigger && plan[i].trigger == plan[i + 2].trigger &&
                              !(plan[i] == plan[i + 1]) && plan[i].trigger.at);
    }
  }
  EXPECT_TRUE(together);
  EXPECT_TRUE(minority);
  EXPECT_TRUE(hours);
}

TEST(ArbitraryPlan, RapidCheckShrinksByTheSameSteps) {
  const auto gen = arbitrary_plan(small_space());
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto shrinkable = gen(rc::Random(seed), 50);
    const auto expected = simplify(shrinkable.value());
    auto shrinks = shrinkable.shrinks();
    for (const FaultPlan& plan : expected) {
      const auto next = shrinks.next();
      ASSERT_TRUE(next);
      ASSERT_EQ(next->value(), plan);
    }
    ASSERT_FALSE(shrinks.next());
  }
}

TEST(Simplify, GoesBoldlyFirst) {
  FaultPlan plan;
  for (const char* line :
       {"kill node=a at=137ms restart-after=50ms", "pause node=b on=\"b enters\" count=3 offset=7ms lasts=200ms"}) {
    ASSERT_FALSE(parse_fault(line, plan.emplace_back()));
  }
  std::vector<std::string> lines;
  for (const FaultPlan& p : simplify(plan)) lines.push_back(to_text(p));
  ASSERT_GT(lines.size(), 10U);
  EXPECT_EQ(lines[0], "");
  EXPECT_EQ(lines[1], to_text(FaultPlan{plan[1]}));
  EXPECT_EQ(lines[2], to_text(FaultPlan{plan[0]}));
  const std::string rest = '\n' + to_text(plan[1]) + '\n';
  EXPECT_EQ(lines[3], "kill node=a restart-after=50ms" + rest);
  EXPECT_EQ(lines[4], "kill at=100ms node=a restart-after=50ms" + rest);
  EXPECT_EQ(lines[5], "kill at=68ms node=a restart-after=50ms" + rest);
}

}  // namespace plan_test
}  // namespace picklock
