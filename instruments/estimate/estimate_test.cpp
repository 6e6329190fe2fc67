#include "instruments/estimate/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "campaigns/campaign.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace estimate_test {

// The holder's claim overlaps with that of its successor if its pauses are longer than this together.
constexpr double kEdgeMs = 53.2;

Scenario scenario(const std::string& name, const std::vector<std::string>& set = {}) {
  ScenarioFile file = load_scenario(name);
  EXPECT_TRUE(file.ok()) << name;
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = set, .without = {}}).errors.empty());
  return file.scenario;
}

Scenario proof(const std::string& name, const std::vector<std::string>& set = {}) {
  return scenario(PICKLOCK_SOURCE_DIR "/scripts/estimates/" + name + ".toml", set);
}

std::string mean(double ms) {
  return "fault.*.lasts=exp(" + std::to_string(static_cast<std::int64_t>(ms * 1e6)) + "ns, cap 4s)";
}

Scenario one_pause(double x) { return proof("one_pause", {mean(kEdgeMs / x)}); }
Scenario three_pauses(double x) { return proof("three_pauses", {mean(kEdgeMs / x)}); }
double tail_of_three(double x) { return std::exp(-x) * (1 + x + x * x / 2); }

EstimateOptions small(EstimateMethod method) {
  return {.property = Property::mutual_exclusion,
          .method = method,
          .draw = {},
          .plain_runs = 1000,
          .samples = 100,
          .trajectories = 150,
          .replications = 30,
          .seed = 1,
          .jobs = 1,
          .redraws_lengths = true,
          .stop = nullptr,
          .progress = {}};
}

Estimated estimate(const Scenario& s, const EstimateOptions& options) {
  auto outcome = estimate_probability(s, options);
  EXPECT_EQ(outcome.index(), 0u);
  return std::get<0>(std::move(outcome));
}

// Standard errors between the estimate and the truth.
double errors_between(const Estimated& e, const std::vector<double>& values, double truth) {
  const Sample s = sample_of(values);
  return std::abs(e.probability.value - truth) / (s.deviation / std::sqrt(static_cast<double>(s.count)));
}

TEST(Estimate, ConditionalMonteCarloHasTheClosedForm) {
  for (const double x : {7.0, 13.8, 20.7}) {
    const Estimated e = estimate(one_pause(x), small(EstimateMethod::automatic));
    ASSERT_EQ(e.refusal, "");
    EXPECT_EQ(e.method, EstimateMethod::conditional);
    EXPECT_EQ(e.conditional->draw, "world/fault@world#0.2");
    EXPECT_NEAR(e.probability.value / std::exp(-x), 1, 1e-3) << x;
  }
}

// No single pause tells of the sum of three, and each can do it alone.
TEST(Estimate, SplittingHasTheClosedForm) {
  for (const double x : {11.2, 19.4, 27.0}) {  // about 1e-3, 1e-6, 1e-9
    const Estimated e = estimate(three_pauses(x), small(EstimateMethod::automatic));
    ASSERT_EQ(e.refusal, "") << x;
    EXPECT_EQ(e.method, EstimateMethod::splitting);
    EXPECT_LT(errors_between(e, e.splitting->values, tail_of_three(x)), 3) << x;
    EXPECT_LE(e.probability.low, e.probability.value);
    EXPECT_LT(e.probability.high, 20 * tail_of_three(x));
    EXPECT_GT(e.probability.low, tail_of_three(x) / 20);
  }
}

TEST(Estimate, BothMethodsAgreeWhereCountingCanTell) {
  const double x = 5;
  const std::uint64_t n = 20'000;
  EstimateOptions counting = small(EstimateMethod::counting);
  counting.plain_runs = n;
  const Estimated counted = estimate(one_pause(x), counting);
  ASSERT_EQ(counted.refusal, "");
  EXPECT_LT(counted.probability.low, std::exp(-x));
  EXPECT_GT(counted.probability.high, std::exp(-x));
  const Estimated split = estimate(one_pause(x), small(EstimateMethod::splitting));
  EXPECT_LT(errors_between(split, split.splitting->values, std::exp(-x)), 3);
}

// A few trajectories give replications so unequal that no interval of thirty of them can be trusted.
TEST(Estimate, UnevenReplicationsAreACaution) {
  EstimateOptions few = small(EstimateMethod::splitting);
  few.trajectories = 60;
  const Estimated uneven = estimate(three_pauses(23), few), even = estimate(three_pauses(11.2), small(few.method));
  ASSERT_EQ(uneven.refusal, "");
  EXPECT_NE(uneven.caution.find("30 replications count like "), std::string::npos) << uneven.caution;
  EXPECT_NE(estimate_text(three_pauses(23), uneven, {}).find("caution     30 replications"), std::string::npos);
  EXPECT_EQ(even.caution, "");
}

// Plain runs count a violation that is frequent.
TEST(Estimate, FrequentViolationsAreCounted) {
  const Estimated e = estimate(scenario("paused_holder"), small(EstimateMethod::automatic));
  EXPECT_EQ(e.method, EstimateMethod::counting);
  EXPECT_EQ(e.probability.value, 1);
}

// Drawn at once, one length jumps over all levels, and what the levels show is not what happens.
TEST(Estimate, TheBrokenTwinThatDrawsLengthsAtOnceIsRefused) {
  EstimateOptions twin = small(EstimateMethod::splitting);
  twin.redraws_lengths = false;
  for (const double x : {19.4, 27.0}) {
    const Estimated e = estimate(three_pauses(x), twin);
    EXPECT_NE(e.refusal, "") << x << ": " << e.probability.value;
  }
}

TEST(Estimate, TooFewAncestorsAreRefused) {
  // A length of two values cannot be revealed in pieces: it is the short one, or it is not.
  const Scenario s = proof("one_pause", {"fault[0].lasts=1ms:9999 | 1s:1"});
  const Estimated e = estimate(s, small(EstimateMethod::splitting));
  EXPECT_NE(e.refusal, "") << e.probability.value;
  // The conditional method has no trouble with it.
  const Estimated exact = estimate(s, small(EstimateMethod::conditional));
  EXPECT_EQ(exact.refusal, "");
  EXPECT_NEAR(exact.probability.value, 1e-4, 1e-9);
}

TEST(Estimate, RefusesWhereNothingIsToBeEstimated) {
  EstimateOptions options = small(EstimateMethod::automatic);
  const Estimated alone = estimate(proof("one_pause", {"clients.b.start=20s"}), options);
  EXPECT_NE(alone.refusal.find("nothing to estimate"), std::string::npos) << alone.refusal;
  // Short pauses alone cannot do it.
  const Estimated never = estimate(proof("one_pause", {"fault[0].lasts=1ms..2ms"}), options);
  EXPECT_NE(never.refusal.find("stuck"), std::string::npos) << never.refusal;
  options.property = Property::sold_twice;
  const Estimated other = estimate(proof("one_pause"), options);
  EXPECT_NE(other.refusal.find("does not apply"), std::string::npos) << other.refusal;
}

TEST(Estimate, TheConditionalMethodNeedsAMonotoneDrawThatDecidesAlone) {
  EstimateOptions options = small(EstimateMethod::conditional);
  const Estimated three = estimate(three_pauses(20), options);
  EXPECT_NE(three.refusal.find("3 draws decide alone"), std::string::npos) << three.refusal;
  options.draw = "a/hold@a#2.1";
  EXPECT_NE(estimate(three_pauses(20), options).refusal.find("no run draws"), std::string::npos);
  options.draw = "a/lock-value@a#1.1";
  EXPECT_NE(estimate(three_pauses(20), options).refusal, "");
  // b asks once: while the pause of a outlasts its lease, or before, or after.  Neither early nor late instants violate.
  const std::vector<std::string> setting = {"fault[0].lasts=80ms", "clients.b.start=0s..300ms",
                                            "clients.b.patience=1ms"};
  options.draw = "b/start@b#0.1";
  const Estimated between = estimate(proof("one_pause", setting), options);
  EXPECT_NE(between.refusal.find("no monotone draw"), std::string::npos) << between.refusal;
}

TEST(Estimate, IsTheSameForAnyNumberOfThreads) {
  for (const EstimateMethod method : {EstimateMethod::conditional, EstimateMethod::splitting}) {
    EstimateOptions options = small(method);
    options.trajectories = 60;
    const Scenario s = one_pause(14);
    const Estimated one = estimate(s, options);
    options.jobs = 3;
    const Estimated three = estimate(s, options);
    EXPECT_EQ(one.refusal, "");
    EXPECT_EQ(one.probability.value, three.probability.value);
    EXPECT_EQ(one.probability.low, three.probability.low);
    EXPECT_EQ(one.effort().runs, three.effort().runs);
    EXPECT_EQ(one.effort().events, three.effort().events);
    EXPECT_EQ(words_of(*one.rare), words_of(*three.rare));
  }
}

TEST(Estimate, TheRareRunCanBePlayedAgain) {
  for (const EstimateMethod method : {EstimateMethod::conditional, EstimateMethod::splitting}) {
    const Scenario s = one_pause(20);
    const Estimated e = estimate(s, small(method));
    ASSERT_TRUE(e.rare);
    EXPECT_FALSE(e.rare->recipe.empty() && e.rare->pinned.empty());
    const auto runner = std::get<0>(Runner::compile(scenario_of(s, *e.rare)));
    EXPECT_TRUE(violates(runner->run(e.rare->seed), Property::mutual_exclusion));
    const auto plain = std::get<0>(Runner::compile(s));
    EXPECT_FALSE(violates(plain->run(e.rare->seed), Property::mutual_exclusion));
  }
}

TEST(Estimate, SessionsAndMajoritiesHaveLevels) {
  for (const char* name : {"redlock", "session"}) {
    EstimateOptions options = small(EstimateMethod::splitting);
    options.plain_runs = 300;
    options.trajectories = 40;
    const Scenario s =
        proof(name, {std::string("fault.*.lasts=exp(") + (name[0] == 'r' ? "4ms" : "400ms") + ", cap 15s)"});
    const Estimated e = estimate(s, options);
    EXPECT_EQ(e.refusal, "") << name;
    EXPECT_GE(e.splitting->levels.size(), 3u) << name;
    EXPECT_GE(e.splitting->levels.back(), kLeaseOver * 9 / 10) << name;
  }
}

TEST(Ascent, ReachesTheLeaseWhenItIsOver) {
  const auto runner = std::get<0>(Runner::compile(proof("one_pause", {"fault[0].lasts=300ms"})));
  const Ascent ascent(*runner->run(1).history);
  // Granted at 0.1 ms for 100 ms; a believes until its pause is over.
  EXPECT_EQ(ascent.reaches(kLeaseOver), 100'100'000);
  EXPECT_EQ(ascent.reaches(kLeaseOver / 2), 50'100'000);
  EXPECT_NEAR(static_cast<double>(ascent.highest()), 3.506e6, 2e3);
  EXPECT_EQ(ascent.reaches(ascent.highest() + 1), std::nullopt);
}

// The level at an instant depends on what came before it: a branch from there has the same ascent up to there.
TEST(Ascent, KnowsThePastAlone) {
  for (const char* name : {"three_pauses", "redlock", "renewals", "session"}) {
    const Scenario s = proof(name);
    const auto runner = std::get<0>(Runner::compile(s));
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Ascent whole(*runner->run(seed).history);
      for (Level level = kLeaseOver / 5; level <= whole.highest(); level += kLeaseOver / 5) {
        const auto at = whole.reaches(level);
        ASSERT_TRUE(at);
        DrawChanges changes;
        changes.reseeds = {{Duration{*at}, static_cast<std::int64_t>(mix(seed, 7) >> 16)}};
        EXPECT_EQ(Ascent(*runner->run(seed, {}, changes).history).reaches(level), at) << name << " " << seed;
      }
    }
  }
}

// A server that loses its keys ends the right of a holder before its time.
TEST(Ascent, AHoldThatTheServerLostIsAtItsEnd) {
  const auto runner = std::get<0>(Runner::compile(scenario("failover_loses_the_lock")));
  const Ascent ascent(*runner->run(1).history);
  EXPECT_GE(ascent.highest(), kLeaseOver);
}

TEST(EstimateText, SaysWhatWasDoneAndWhy) {
  const Scenario s = one_pause(20);
  const Estimated e = estimate(s, small(EstimateMethod::automatic));
  const EstimateHead head{"picklock estimate x", "picklock run x --seed 1"};
  const std::string text = estimate_text(s, e, head);
  for (const char* part : {"conditional Monte Carlo", "it alone decides", "95 %", "cost", "picklock run x --seed 1"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  const auto json = nlohmann::json::parse(estimate_json(s, e, head));
  EXPECT_EQ(json["method"], "conditional");
  EXPECT_EQ(json["refused"], nullptr);
  EXPECT_EQ(json["probability"], e.probability.value);
  const std::string csv = estimate_csv(s, e);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

// No figure stands where nothing was estimated.
TEST(EstimateText, HasNoFigureWhereNothingWasEstimated) {
  EstimateOptions twin = small(EstimateMethod::splitting);
  twin.redraws_lengths = false;
  const Scenario s = three_pauses(27);
  const Estimated e = estimate(s, twin);
  ASSERT_NE(e.refusal, "");
  EXPECT_NE(estimate_text(s, e, {}).find("refused: "), std::string::npos);
  EXPECT_EQ(estimate_text(s, e, {}).find("95 %:"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(estimate_json(s, e, {}))["probability"], nullptr);
  EXPECT_NE(estimate_csv(s, e).find(",,,,"), std::string::npos) << "empty, as in the CSV of a sweep";
}

}  // namespace estimate_test
}  // namespace picklock
