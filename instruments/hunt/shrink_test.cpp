#include "instruments/hunt/shrink.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "instruments/hunt/calm.hpp"
#include "instruments/hunt/hunt_lab.hpp"
#include "instruments/hunt/numbers.hpp"
#include "instruments/hunt/text.hpp"

namespace picklock {
namespace {

// A scenario that fails under this aim, drawn like those of a hunt.
std::optional<std::pair<Scenario, std::uint64_t>> failing(const HuntSpace& space, const Judge& judge,
                                                          std::uint64_t from) {
  for (std::uint64_t plan = from; plan < from + 60; ++plan) {
    Scenario drawn = draw_plan(space, judge.aim(), Strategy::many, 7, plan);
    if (judge.play(drawn, plan + 1).failed()) return std::pair(std::move(drawn), plan + 1);
  }
  return std::nullopt;
}

Shrunk shrunk_within(const Judge& judge, const Scenario& scenario, std::uint64_t seed, std::uint32_t most_tries) {
  return shrink(judge, scenario, seed, judge.play(scenario, seed).failures.front(), {.most_tries = most_tries});
}

RC_GTEST_PROP(Shrink, FailsAndNeverGrows, ()) {
  static const HuntSpace space = space_of("paused_holder");
  const Aim aim;
  const Judge judge(space.base, aim);
  constexpr std::uint64_t kNeedsLessWithSeedOne = 8381;
  const auto from = *rc::gen::weightedOneOf<std::uint64_t>(
      {{9, rc::gen::inRange<std::uint64_t>(0, 100'000)}, {1, rc::gen::just(kNeedsLessWithSeedOne)}});
  const auto found = failing(space, judge, from);
  RC_PRE(found.has_value());
  const auto& [scenario, seed] = *found;
  const PlanOutcome first = judge.play(scenario, seed);
  RC_ASSERT(first.failed());
  const Failure before = first.failures.front();
  const Shrunk s = shrink(judge, scenario, seed, before, {});
  const PlanOutcome after = judge.play(s.scenario, s.seed);
  const Failure* const still = after.failure_of(before.property);
  RC_ASSERT(still != nullptr);
  RC_ASSERT(*still == s.failure);
  RC_ASSERT(drawn_parts(s.scenario).size() <= drawn_parts(scenario).size());
  RC_ASSERT(s.scenario.faults.size() <= scenario.faults.size());
  RC_ASSERT(s.scenario.clients.size() <= scenario.clients.size());
  // Each remaining fault is needed, even if the run fails in another way if it is left out.
  RC_ASSERT(s.exhausted || s.certificate.complete());
  for (std::size_t i = 0; i < s.scenario.faults.size() && !s.exhausted; ++i) {
    Scenario less = s.scenario;
    less.faults.erase(less.faults.begin() + static_cast<std::ptrdiff_t>(i));
    RC_ASSERT(!judge.play(less, s.seed).failed());
  }
}

RC_GTEST_PROP(Shrink, KeepsToItsBound, ()) {
  static const HuntSpace space = space_of("paused_holder");
  const Aim aim;
  const Judge judge(space.base, aim);
  const auto found = failing(space, judge, *rc::gen::inRange<std::uint64_t>(0, 100'000));
  RC_PRE(found.has_value());
  const auto most = *rc::gen::inRange<std::uint32_t>(0, 20);
  const Shrunk s = shrunk_within(judge, found->first, found->second, most);
  RC_ASSERT(s.all_tries() <= most + 1);
  RC_ASSERT(judge.play(s.scenario, s.seed).failed());
}

RC_GTEST_PROP(Shrink, EndsWithoutABound, ()) {
  static const HuntSpace space = space_of("paused_holder");
  const Aim aim;
  const Judge judge(space.base, aim);
  const auto found = failing(space, judge, *rc::gen::inRange<std::uint64_t>(0, 100'000));
  RC_PRE(found.has_value());
  constexpr std::uint32_t kAllSets = 1 + 12 + 66 + 220;  // subsets of up to three of twelve faults
  const Shrunk s = shrunk_within(judge, found->first, found->second, 1'000'000);
  RC_ASSERT(!s.exhausted);
  constexpr std::uint32_t kSubsetsOfWhatIsLeft = 255;  // subsets of eight faults, in all rounds
  RC_ASSERT(s.set_tries <= kAllSets + kSubsetsOfWhatIsLeft);
  RC_ASSERT(s.tries < 800u);
  // A plan that is shrunk once more does not grow.
  const Shrunk again = shrunk_within(judge, s.scenario, s.seed, 1'000'000);
  RC_ASSERT(again.scenario.faults.size() <= s.scenario.faults.size());
  RC_ASSERT(again.scenario.clients.size() <= s.scenario.clients.size());
}

// The result and the tries are the same for any thread that shrinks.
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

}  // namespace
}  // namespace picklock
