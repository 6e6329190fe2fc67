#include "hunt/hunt.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <string>

#include "base/hash.hpp"
#include "faults/text.hpp"
#include "generators/draw.hpp"
#include "generators/space.hpp"
#include "hunt/calm.hpp"
#include "hunt/grid.hpp"
#include "hunt/kept.hpp"
#include "hunt/near_miss.hpp"
#include "hunt/numbers.hpp"
#include "hunt/search_mutants_lab.hpp"
#include "hunt/text.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

Scenario library(const std::string& name) {
  ScenarioFile file = load_scenario(name);
  EXPECT_TRUE(file.ok()) << name;
  return file.scenario;
}

HuntSpace space_of(const std::string& name) {
  HuntSpace space{.base = library(name), .faults = {}, .vary = {}, .kinds = {}};
  space.faults = fault_space_of(space.base);
  return space;
}

HuntOptions few_plans(std::uint64_t plans) {
  HuntOptions options;
  options.most_plans = plans;
  return options;
}

// A scenario that fails under this aim, drawn like those of a hunt.
std::optional<std::pair<Scenario, std::uint64_t>> failing(const HuntSpace& space, const Judge& judge,
                                                          std::uint64_t from) {
  for (std::uint64_t plan = from; plan < from + 60; ++plan) {
    Scenario drawn = draw_plan(space, judge.aim(), Strategy::many, 7, plan);
    if (judge.play(drawn, plan + 1).failure) return std::pair(std::move(drawn), plan + 1);
  }
  return std::nullopt;
}

TEST(Hunt, FindsDistinctFailuresOfALease) {
  const HuntSpace space = space_of("paused_holder");
  const HuntResult result = hunt(space, few_plans(256));
  EXPECT_EQ(result.plans, 256u);
  EXPECT_GT(result.findings.size(), 5u);
  EXPECT_TRUE(result.errors.empty());
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(result.findings[i].cause, result.findings[j].cause);
  }
  const auto pause = [](const HuntFinding& f) {
    return f.cause.faults == std::vector<std::string>{"pause of a client"};
  };
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), pause));
}

TEST(Hunt, IsTheSameForAnyNumberOfThreads) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(200);
  const std::string one = hunt_json(hunt(space, options), space, options, "x");
  options.jobs = 3;
  EXPECT_EQ(hunt_json(hunt(space, options), space, options, "x"), one);
}

TEST(Hunt, FindsNothingInALockWithinItsAssumptions) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  options.aim.within_assumptions = true;
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.findings.empty()) << hunt_text(result, space, options, "paused_holder");
  EXPECT_LT(result.idle + result.alone, result.plans);
}

TEST(Hunt, BreaksOnlyTheAssumptionThatMayBeBroken) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(2'000);
  options.aim.beyond = AssumptionKind::beliefs_shorter_than;
  const HuntResult result = hunt(space, options);
  ASSERT_FALSE(result.findings.empty());
  for (const HuntFinding& f : result.findings) {
    EXPECT_EQ(f.cause.failure.broken, std::vector{AssumptionKind::beliefs_shorter_than});
  }
  options.aim.beyond = AssumptionKind::clock_rates_within;
  const HuntResult drift = hunt(space, options);
  ASSERT_FALSE(drift.findings.empty());
  for (const HuntFinding& f : drift.findings) {
    ASSERT_EQ(f.cause.faults.size(), 1u);
    EXPECT_NE(f.cause.faults.front().find("clock-drift"), std::string::npos);
  }
}

TEST(Hunt, TellsALockFromItsRepairedTwin) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  options.aim.properties = {Property::lost_update};
  options.aim.twin = Aim::Twin{"paused_holder/fenced", library("paused_holder/fenced")};
  const HuntResult result = hunt(space, options);
  ASSERT_FALSE(result.findings.empty());
  for (const HuntFinding& f : result.findings) {
    const Scenario twin = twin_of(f.shrunk.scenario, space.base, options.aim.twin->scenario);
    auto runner = std::get<0>(Runner::compile(twin));
    EXPECT_EQ(of(runner->run(f.shrunk.seed).findings, Property::lost_update).verdict, Verdict::holds);
  }
}

TEST(Hunt, RefusesATwinThatDiffersInItsClients) {
  Scenario base = library("paused_holder");
  EXPECT_NE(no_twin(base, base), "");
  Scenario other = base;
  ASSERT_FALSE(set_in_scenario(other, "clients.a.hold=1ms"));
  EXPECT_NE(no_twin(base, other), "");
  EXPECT_EQ(no_twin(base, library("paused_holder/fenced")), "");
}

TEST(Hunt, SaysThatItTestedLittle) {
  HuntSpace space = space_of("paused_holder");
  space.base.clients.resize(1);  // nobody to contend with
  space.faults = fault_space_of(space.base);
  const HuntOptions options = few_plans(64);
  const HuntResult result = hunt(space, options);
  EXPECT_FALSE(result.tested_much());
  EXPECT_NE(hunt_text(result, space, options, "x").find("tested little"), std::string::npos);
}

TEST(Hunt, EndsWhenItIsStopped) {
  const HuntSpace space = space_of("paused_holder");
  std::atomic<bool> stop{false};
  HuntOptions options = few_plans(100'000);
  options.most_findings = 1'000;
  options.stop = &stop;
  options.progress = [&](const HuntResult&) { stop = true; };
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.findings.empty());
  EXPECT_LT(result.plans, 1'000u);
}

TEST(Hunt, KeepsAFindingBeforeAnybodyIsToldOfIt) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  std::size_t kept = 0;
  options.keep = [&](HuntFinding&) { ++kept; };
  options.progress = [&](const HuntResult& r) { EXPECT_EQ(r.findings.size(), kept); };
  EXPECT_EQ(hunt(space, options).findings.size(), kept);
}

TEST(Kept, ReadsBackAndFailsAgain) {
  const HuntSpace space = space_of("paused_holder");
  const HuntResult result = hunt(space, few_plans(128));
  ASSERT_FALSE(result.findings.empty());
  for (const HuntFinding& f : result.findings) {
    const KeptRun kept = kept_run(f.shrunk.scenario, f.shrunk.seed, kept_as(f, "paused_holder"));
    const ScenarioFile file = read_scenario(kept.text, "finding.toml");
    ASSERT_TRUE(file.ok()) << kept.text;
    EXPECT_NE(file.scenario.description.find("A hunt around paused_holder found it."), std::string::npos) << kept.text;
    auto runner = std::get<0>(Runner::compile(file.scenario));
    EXPECT_EQ(of(runner->run(f.shrunk.seed).findings, f.cause.failure.property).verdict, Verdict::violated);
  }
}

// --- shrinking

RC_GTEST_PROP(Shrink, FailsAsBeforeAndNeverGrows, ()) {
  static const HuntSpace space = space_of("paused_holder");
  const Aim aim;
  const Judge judge(space.base, aim);
  constexpr std::uint64_t kNeedsLessWithSeedOne = 8381;
  const auto from = *rc::gen::weightedOneOf<std::uint64_t>(
      {{9, rc::gen::inRange<std::uint64_t>(0, 100'000)}, {1, rc::gen::just(kNeedsLessWithSeedOne)}});
  const auto found = failing(space, judge, from);
  RC_PRE(found.has_value());
  const auto& [scenario, seed] = *found;
  const auto first = judge.play(scenario, seed).failure;
  RC_ASSERT(first.has_value());
  const Failure before = *first;
  const Shrunk s = shrink(judge, scenario, seed, {});
  const auto after = judge.play(s.scenario, s.seed).failure;
  RC_ASSERT(after.has_value());
  RC_ASSERT(*after == s.failure);
  RC_ASSERT(same_failure(before, *after));
  RC_ASSERT(drawn_parts(s.scenario).size() <= drawn_parts(scenario).size());
  RC_ASSERT(s.scenario.faults.size() <= scenario.faults.size());
  RC_ASSERT(s.scenario.clients.size() <= scenario.clients.size());
  // No single fault of what is left can be spared.
  for (std::size_t i = 0; i < s.scenario.faults.size() && !s.exhausted; ++i) {
    Scenario less = s.scenario;
    less.faults.erase(less.faults.begin() + static_cast<std::ptrdiff_t>(i));
    const auto still = judge.play(less, s.seed).failure;
    const bool same = still && same_failure(s.failure, *still);
    RC_ASSERT(!same);
  }
}

RC_GTEST_PROP(Shrink, KeepsToItsBound, ()) {
  static const HuntSpace space = space_of("paused_holder");
  const Aim aim;
  const Judge judge(space.base, aim);
  const auto found = failing(space, judge, *rc::gen::inRange<std::uint64_t>(0, 100'000));
  RC_PRE(found.has_value());
  const auto most = *rc::gen::inRange<std::uint32_t>(0, 20);
  const Shrunk s = shrink(judge, found->first, found->second, {.most_tries = most});
  RC_ASSERT(s.all_tries() <= most + 1);
  RC_ASSERT(judge.play(s.scenario, s.seed).failure.has_value());
}

RC_GTEST_PROP(Shrink, EndsWithoutABound, ()) {
  static const HuntSpace space = space_of("paused_holder");
  const Aim aim;
  const Judge judge(space.base, aim);
  const auto found = failing(space, judge, *rc::gen::inRange<std::uint64_t>(0, 100'000));
  RC_PRE(found.has_value());
  constexpr std::uint32_t kAllSets = 1 + 12 + 66 + 220;  // of twelve faults
  const Shrunk s = shrink(judge, found->first, found->second, {.most_tries = 1'000'000});
  RC_ASSERT(!s.exhausted);
  RC_ASSERT(s.set_tries <= kAllSets);
  RC_ASSERT(s.tries < 400u);
  // What is shrunk once more does not grow.
  const Shrunk again = shrink(judge, s.scenario, s.seed, {.most_tries = 1'000'000});
  RC_ASSERT(again.scenario.faults.size() <= s.scenario.faults.size());
  RC_ASSERT(again.scenario.clients.size() <= s.scenario.clients.size());
}

// Which thread shrinks what changes nothing: neither what is found nor what that took.
RC_GTEST_PROP(Shrink, DoesNotDependOnTheNumberOfThreads, ()) {
  static const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(6);
  options.hunt_seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  options.most_findings = 2;
  const std::string one = hunt_json(hunt(space, options), space, options, "x");
  options.jobs = *rc::gen::inRange(2u, 5u);
  RC_ASSERT(hunt_json(hunt(space, options), space, options, "x") == one);
}

TEST(Numbers, PlainStepsAreInOrderBetweenTheirEnds) {
  for (const std::int64_t high : {2LL, 9LL, 57LL, 101'234'567LL, 9'999'999'999LL}) {
    const auto steps = plain_steps(1, high, true, {100'000'000});
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    for (const std::int64_t v : steps) EXPECT_TRUE(1 < v && v < high) << v;
  }
  EXPECT_EQ(plain_steps(1, 30, false, {}), (std::vector<std::int64_t>{2, 3, 5, 10, 20}));
  EXPECT_EQ(plain_steps(50'000'000, 200'000'000, true, {100'000'000}),
            (std::vector<std::int64_t>{100'000'000, 110'000'000, 150'000'000}));
}

TEST(Calm, LeavesNothingToDraw) {
  Scenario s = library("paused_holder");
  EXPECT_EQ(drawn_parts(s), (std::vector<std::string>{"latency", "lock"}));
  s.clients.front().hold = Law::exponential(1'000'000, 9'000'000);
  s.links.push_back({"a", "redis", Law::uniform(10, 20)});
  EXPECT_EQ(drawn_parts(s), (std::vector<std::string>{"latency", "clients", "lock"}));
  for (const DrawnPart part : kDrawnParts) s = calmed(std::move(s), part);
  EXPECT_TRUE(drawn_parts(s).empty());
  EXPECT_EQ(s.links.back().latency, Law::constant(15));
  EXPECT_EQ(s.latency, Law::constant(microseconds(100)));
}

TEST(Calm, TheMedianHasHalfOfTheValuesOnEitherSide) {
  for (const Law& law : {Law::uniform(0, 1'000'000), Law::exponential(1'000'000, 9'000'000),
                         Law::heavy_tailed(1'000, 1'500, 1'000'000'000)}) {
    int below = 0;
    constexpr int kSamples = 4'000;
    for (int i = 0; i < kSamples; ++i) below += law.sample(mix(static_cast<std::uint64_t>(i))) <= median_of(law);
    EXPECT_NEAR(below, kSamples / 2, kSamples / 20);
  }
  EXPECT_EQ(median_of(Law::table({{7, 1}, {9, 100}})), 7) << "the first choice of a table is its calm one";
}

// --- the server event that ended the right

RightEnd right_end_in(const std::string& name, Property property) {
  const Scenario scenario = library(name);
  auto runner = std::get<0>(Runner::compile(scenario));
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    const RunResult& result = runner->run(seed);
    if (of(result.findings, property).verdict != Verdict::violated) continue;
    const RightEnd end = right_end(of(result.findings, property), *result.history);
    EXPECT_EQ(end.how, how_right_ended(of(result.findings, property), *result.history));
    return end;
  }
  ADD_FAILURE() << name << " violates nothing";
  return {};
}

TEST(RightEnd, IsTheServerEvent) {
  const auto me = Property::mutual_exclusion;
  const RightEnd expired = right_end_in("paused_holder", me);
  EXPECT_EQ(expired.how, "expired");
  EXPECT_NE(expired.told.find("has run out, by the clock of redis"), std::string::npos) << expired.told;
  EXPECT_EQ(right_end_in("restart_without_fsync", me).how, "lost");
  EXPECT_EQ(right_end_in("failover_loses_the_lock", me).how, "not-replicated");
  EXPECT_EQ(right_end_in("zookeeper_partitioned_holder", me).how, "session-over");
  EXPECT_EQ(right_end_in("etcd_partitioned_holder", me).how, "lease-over");
  EXPECT_EQ(right_end_in("etcd_unlock_by_name", me).how, "deleted");
  EXPECT_EQ(right_end_in("etcd_shared_session", me).how, "stands");
  EXPECT_EQ(right_end_in("deadlock_opposite_order", Property::starvation).how, "") << "it is not about a right";
}

TEST(Failure, IsTheSameOnlyIfEverythingThatTellsItApartIs) {
  const Failure f{Property::mutual_exclusion, "l", "two clients", "expired", {AssumptionKind::no_kills}};
  Failure less = f;
  less.broken.clear();
  EXPECT_TRUE(same_failure(f, less));
  EXPECT_FALSE(same_failure(less, f)) << "it breaks an assumption that was kept";
  const auto differs = [&](auto change) {
    Failure other = f;
    change(other);
    return !same_failure(f, other) && other != f;
  };
  EXPECT_TRUE(differs([](Failure& o) { o.property = Property::lost_update; }));
  EXPECT_TRUE(differs([](Failure& o) { o.lock = "m"; }));
  EXPECT_TRUE(differs([](Failure& o) { o.parties = "one client"; }));
  EXPECT_TRUE(differs([](Failure& o) { o.right_end = "lost"; }));
}

// The same faults can end a right in two ways: then there are two findings.
TEST(Hunt, TellsFindingsApartByTheEndOfTheRight) {
  const HuntSpace space = space_of("paused_holder");
  const HuntResult result = hunt(space, few_plans(256));
  std::set<std::string> ends;
  for (const HuntFinding& f : result.findings) {
    ends.insert(f.cause.failure.right_end);
    EXPECT_EQ(f.right_end.how, f.cause.failure.right_end);
    EXPECT_FALSE(f.right_end.told.empty());
  }
  EXPECT_EQ(ends.count("lost"), 1u);
  EXPECT_EQ(ends.count("expired"), 1u);
}

// --- the grid

TEST(Grid, HasEveryKindOfFaultAtEveryTarget) {
  const HuntSpace space = space_of("paused_holder");
  const std::vector<Fault> all = single_faults(space.faults, {});
  std::set<std::string> texts;
  for (const Fault& f : all) texts.insert(to_text(f));
  EXPECT_EQ(texts.size(), all.size()) << "a fault occurs twice";
  for (const char* const node : {"a", "b", "redis", "storage"}) {
    const auto there = std::any_of(texts.begin(), texts.end(), [&](const std::string& t) {
      return t.find("pause") == 0 && t.find(std::string("node=") + node) != std::string::npos;
    });
    EXPECT_TRUE(there) << node;
  }
}

// Exhaustive search against plain loops over the same faults.
TEST(Grid, AgreesWithBruteForce) {
  HuntSpace space = space_of("paused_holder");
  space.kinds = {"pause"};
  space.faults.marks = {"enters", "writes"};
  space.faults.deadlines.resize(1);
  const std::vector<Fault> singles = single_faults(space.faults, space.kinds);
  HuntOptions options;
  options.strategy = Strategy::exhaustive;
  options.most_plans = singles.size();
  options.most_findings = 10'000;
  const HuntResult result = hunt(space, options);
  const Judge judge(space.base, options.aim);
  std::uint64_t failed = 0;
  Scenario calm = space.base;
  calm.faults.clear();
  calm.expect.clear();
  for (const Fault& f : singles) {
    calm.faults = {f};
    failed += judge.play(calm, 1).failure.has_value();
  }
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(result.failed, failed);
  EXPECT_EQ(result.plans, singles.size());
}

// Pairs as well: all pairs of all single faults, with those that the search leaves out.
TEST(Grid, PairsAgreeWithBruteForce) {
  HuntSpace space = space_of("paused_holder");
  space.kinds = {"pause"};
  space.faults.marks = {"enters"};
  space.faults.tasks.clear();
  std::erase_if(space.faults.nodes, [](const FaultSpace::Node& n) { return n.name != "a" && n.name != "redis"; });
  space.faults.deadlines = {{DeadlineKind::lease, milliseconds(60)}};  // no pause of half of it breaks the lease alone
  const std::vector<Fault> singles = single_faults(space.faults, space.kinds);
  HuntOptions options;
  options.strategy = Strategy::exhaustive;
  options.most_plans = 1'000'000;
  options.most_findings = 10'000;
  options.shrink.most_tries = 0;
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.complete);

  const Judge judge(space.base, options.aim);
  Scenario calm = space.base;
  calm.faults.clear();
  calm.expect.clear();
  const auto fails = [&](FaultPlan plan) {
    calm.faults = std::move(plan);
    return judge.play(calm, 1).failure.has_value();
  };
  std::uint64_t failed = 0, left_out = 0;
  const std::uint64_t quiet = judge.play(calm, 1).digest;
  std::vector<char> alone, idle;
  for (const Fault& f : singles) {
    alone.push_back(fails({f}));
    idle.push_back(judge.play(calm, 1).digest == quiet);
    failed += static_cast<std::uint64_t>(alone.back());
  }
  for (std::size_t i = 0; i < singles.size(); ++i) {
    for (std::size_t j = i + 1; j < singles.size(); ++j) {
      const bool both = fails({singles[i], singles[j]});
      if (idle[i] || idle[j]) {
        ++left_out;
        EXPECT_EQ(both, (idle[i] ? alone[j] : alone[i]) != 0) << to_text(singles[i]) << to_text(singles[j]);
      } else {
        failed += both;
      }
    }
  }
  EXPECT_GT(left_out, 0u);
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(result.failed, failed);
}

TEST(Grid, PairsAreMadeOfWhatHasAnEffect) {
  std::vector<Fault> singles(5);
  Grid grid(singles);
  grid.note_idle(1);
  grid.note_idle(3);
  std::size_t pairs = 0;
  while (grid.plan(5 + pairs)) ++pairs;
  EXPECT_EQ(pairs, 3u);  // of 0, 2 and 4
  EXPECT_EQ(grid.idle(), 2u);
}

// --- draws

TEST(Seeded, DrawsTheSameAgain) {
  const HuntSpace space = space_of("paused_holder");
  EXPECT_EQ(draw_plan(space, {}, Strategy::many, 1, 17), draw_plan(space, {}, Strategy::many, 1, 17));
  EXPECT_FALSE(draw_plan(space, {}, Strategy::many, 1, 17) == draw_plan(space, {}, Strategy::many, 1, 18));
}

TEST(Strategy, PlansHaveTheFaultsThatItsNamePromises) {
  HuntSpace space = space_of("paused_holder");
  for (std::uint64_t plan = 0; plan < 50; ++plan) {
    const auto many = draw_plan(space, {}, Strategy::many, 1, plan).faults.size();
    EXPECT_TRUE(many >= 7 && many <= 12) << many;
    const auto few = draw_plan(space, {}, Strategy::few, 1, plan).faults.size();
    EXPECT_TRUE(few >= 1 && few <= 2) << few;
  }
  space.most_faults = 3;
  for (std::uint64_t plan = 0; plan < 50; ++plan) {
    EXPECT_LE(draw_plan(space, {}, Strategy::portfolio, 1, plan).faults.size(), 3u);
  }
}

TEST(Strategy, ThoseThatLearnAreTheSameForAnyNumberOfThreads) {
  const HuntSpace space = space_of("paused_holder");
  for (const Strategy strategy : {Strategy::near, Strategy::recipes, Strategy::order}) {
    HuntOptions options = few_plans(300);
    options.strategy = strategy;
    options.most_findings = 3;
    const std::string one = hunt_json(hunt(space, options), space, options, "x");
    options.jobs = 3;
    EXPECT_EQ(hunt_json(hunt(space, options), space, options, "x"), one) << name(strategy);
  }
}

TEST(NearMisses, KeepTheClosestAndDrawAroundThem) {
  const HuntSpace space = space_of("paused_holder");
  NearMisses near;
  EXPECT_EQ(near.draw(space, {}, 1, 7).scenario, draw_plan(space, {}, Strategy::many, 1, 7)) << "nothing was close yet";
  for (std::uint64_t plan = 0; plan < 100; ++plan) {
    near.note({draw_plan(space, {}, Strategy::many, 2, plan), 1'000 + plan}, static_cast<std::int64_t>(plan % 50), {5});
  }
  EXPECT_EQ(near.size(), NearMisses::kMost);
  std::size_t around = 0, with_its_seed = 0, reseeded = 0;
  for (std::uint64_t plan = 0; plan < 100; ++plan) {
    const Scenario fresh = draw_plan(space, {}, Strategy::many, 1, plan);
    const NearMisses::Plan drawn = near.draw(space, {}, 1, plan);
    around += !(drawn.scenario == fresh);
    with_its_seed += drawn.seed >= 1'000;
    reseeded += near.draw_recipe(space, {}, 1, plan).scenario.reseeds.empty() ? 0 : 1;
  }
  EXPECT_EQ(around, 50u);
  EXPECT_GT(with_its_seed, 10u);
  EXPECT_EQ(reseeded, 50u);
}

TEST(NearMisses, ARunIsCloserTheMoreOfALeaseItUses) {
  Scenario s = library("paused_holder");
  s.faults.clear();
  s.clients.resize(1);
  std::int64_t before = 0;
  for (const char* const hold : {"10ms", "30ms", "70ms", "95ms"}) {
    ASSERT_FALSE(set_in_scenario(s, std::string("clients.a.hold=") + hold));
    auto runner = std::get<0>(Runner::compile(s));
    const RunResult& result = runner->run(1);
    EXPECT_GT(closeness(result), before) << hold;
    before = closeness(result);
    EXPECT_FALSE(turning_points(result).empty());
  }
}

// Priorities are different for all ways, and at most two events change one.
TEST(Order, GivesEachWayAPriority) {
  const HuntSpace space = space_of("paused_holder");
  std::set<std::size_t> changes;
  for (std::uint64_t plan = 0; plan < 60; ++plan) {
    const Scenario drawn = draw_plan(space, {}, Strategy::order, 1, plan);
    std::set<std::int64_t> latencies;
    for (const LinkSpec& l : drawn.links) latencies.insert(l.latency.low());
    EXPECT_EQ(latencies.size(), 2 * space.faults.links.size());
    changes.insert(drawn.faults.size());
    for (const Fault& f : drawn.faults) {
      EXPECT_EQ(f.kind, "delay");
      EXPECT_FALSE(f.trigger.on.empty());
    }
  }
  EXPECT_EQ(changes, (std::set<std::size_t>{0, 1, 2}));
}

// --- mutants of the search (scripts/zoo-mutants tries all of them)

struct Mutant {
  SearchMutant mutant;
  ZooDefect defect;
};

TEST(SearchMutants, AreNoticedByTheZoo) {
  const ZooDefect clock{"curator_lost_by_the_wall_clock", "curator_lost_by_the_wall_clock/monotonic_clock",
                        Property::mutual_exclusion};
  const ZooDefect restart{"empty_restart", "empty_restart/avoided", Property::mutual_exclusion};
  constexpr std::uint64_t kPlans = 400;
  for (const Mutant& m :
       {Mutant{forgets_kind("kill"), restart}, Mutant{forgets_events(), clock}, Mutant{forgets_client("a"), clock}}) {
    EXPECT_LT(plans_until_found(m.defect, sound_search(), kPlans), kPlans) << m.defect.scenario;
    EXPECT_EQ(plans_until_found(m.defect, m.mutant, kPlans), kPlans) << m.mutant.name << ", " << m.defect.scenario;
  }
}

}  // namespace
}  // namespace picklock
