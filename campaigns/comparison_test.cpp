#include "campaigns/comparison.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

Contestant contestant(const std::string& scenario, const ScenarioEdits& edits = {}) {
  ScenarioFile file = load_scenario(scenario);
  EXPECT_TRUE(file.ok()) << scenario;
  EXPECT_TRUE(edit_scenario(file.scenario, edits).errors.empty());
  return {scenario, file.scenario};
}

ComparisonResult played(const std::vector<Contestant>& contestants, SeedRange seeds, unsigned jobs = 1) {
  SeedPlan plan;
  plan.seeds = seeds;
  plan.jobs = jobs;
  auto outcome = run_comparison(contestants, plan, {Property::mutual_exclusion, Property::lost_update});
  EXPECT_EQ(outcome.index(), 0u);
  return std::get<0>(std::move(outcome));
}

// Two separate campaigns give the same counts.
TEST(Comparison, CountsWhatCampaignsCount) {
  const std::vector<Contestant> both = {
      contestant("paused_holder", {.lock = {}, .set = {"lock.ttl=200ms"}, .without = {}}),
      contestant("paused_holder/fenced", {.lock = {}, .set = {"lock.ttl=200ms"}, .without = {}})};
  const ComparisonResult result = played(both, {1, 100});
  for (std::size_t i = 0; i < both.size(); ++i) {
    CampaignOptions options;
    options.seeds = {1, 100};
    options.costs = true;
    const CampaignResult campaign = std::get<0>(run_campaign(both[i].scenario, options));
    for (const PropertySummary& s : campaign.properties) {
      if (!result.contestants[i].tallies.contains(s.property)) continue;
      EXPECT_EQ(result.contestants[i].tallies.at(s.property), s.tally);
      EXPECT_EQ(result.contestants[i].untested.at(s.property), s.untested);
    }
    EXPECT_EQ(result.contestants[i].granted, campaign.costs->granted);
    EXPECT_EQ(result.contestants[i].asked, campaign.costs->asked);
    EXPECT_EQ(result.contestants[i].commands, campaign.costs->commands);
  }
}

// Each seed's pair of verdicts, run by run.
TEST(Comparison, PairsTheRunsOfASeed) {
  const std::vector<Contestant> both = {
      contestant("paused_holder", {.lock = {}, .set = {"lock.ttl=200ms"}, .without = {}}),
      contestant("paused_holder", {.lock = {}, .set = {"lock.ttl=260ms"}, .without = {}})};
  const ComparisonResult result = played(both, {1, 60});
  PairTable slow;
  std::optional<std::uint64_t> only_a;
  const auto a = std::get<0>(Runner::compile(both[0].scenario)), b = std::get<0>(Runner::compile(both[1].scenario));
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Verdict in_a = of(a->run(seed).findings, Property::mutual_exclusion).verdict;
    const Verdict in_b = of(b->run(seed).findings, Property::mutual_exclusion).verdict;
    if (in_a == Verdict::undecided || in_b == Verdict::undecided) {
      ++slow.undecided;
    } else if (in_a == in_b) {
      ++(in_a == Verdict::violated ? slow.both : slow.neither);
    } else {
      ++(in_a == Verdict::violated ? slow.only_a : slow.only_b);
      if (in_a == Verdict::violated && !only_a) only_a = seed;
    }
  }
  EXPECT_EQ(result.against_first[0].properties[0].table, slow);
  EXPECT_EQ(result.against_first[0].properties[0].seed_only_a, only_a);
}

TEST(Comparison, ThreadsChangeNothing) {
  const std::vector<Contestant> both = {contestant("paused_holder"),
                                        contestant("paused_holder", {.lock = "redlock", .set = {}, .without = {}})};
  const ComparisonResult one = played(both, {5, 150}), three = played(both, {5, 150}, 3);
  ASSERT_EQ(one.seeds, 146u);
  EXPECT_EQ(three.seeds, one.seeds);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(one.against_first[0].properties[p].table, three.against_first[0].properties[p].table);
    EXPECT_EQ(one.against_first[0].properties[p].p_adjusted, three.against_first[0].properties[p].p_adjusted);
  }
  EXPECT_EQ(one.against_first[0].latency_ns, three.against_first[0].latency_ns);
  EXPECT_EQ(one.against_first[0].commands, three.against_first[0].commands);
}

// Interrupted after some seeds: what counts is a range without a gap.
TEST(Comparison, InterruptionLeavesWholeSeeds) {
  const std::vector<Contestant> both = {contestant("paused_holder"), contestant("paused_holder/fenced")};
  std::atomic<bool> stop{false};
  SeedPlan plan;
  plan.seeds = {1, 10'000};
  plan.jobs = 3;
  plan.stop = &stop;
  plan.progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= 200; };
  const ComparisonResult result = std::get<0>(run_comparison(both, plan, {Property::mutual_exclusion}));
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.seeds, 10'000u);
  for (const ContestantResult& c : result.contestants) {
    EXPECT_EQ(c.tallies.at(Property::mutual_exclusion).runs(), result.seeds);
  }
}

TEST(Comparison, RefusesAnotherSituation) {
  const Contestant paused = contestant("paused_holder"), fenced = contestant("paused_holder/fenced");
  EXPECT_TRUE(reasons_against(paused, fenced, {}).empty());
  EXPECT_EQ(reasons_against(paused, paused, {}).size(), 1u);
  const Contestant longer = contestant("paused_holder", {.lock = {}, .set = {"clients.b.hold=80ms"}, .without = {}});
  const std::vector<std::string> reasons = reasons_against(paused, longer, {});
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_TRUE(reasons[0].find("clients[1].hold") != std::string::npos) << reasons[0];
  EXPECT_TRUE(reasons[0].find("'80ms'") != std::string::npos) << reasons[0];
  const std::vector<std::string> also = {"clients"};
  EXPECT_TRUE(reasons_against(paused, longer, also).empty());
}

TEST(Comparison, WithoutContentionIsNotTested) {
  const ScenarioEdits alone = {.lock = {}, .set = {}, .without = {"clients.b"}};
  const ComparisonResult result =
      played({contestant("paused_holder", alone), contestant("paused_holder/fenced", alone)}, {1, 20});
  EXPECT_FALSE(result.is_tested());
  EXPECT_EQ(result.against_first[0].properties[0].table.undecided, 20u);
}

}  // namespace
}  // namespace picklock
