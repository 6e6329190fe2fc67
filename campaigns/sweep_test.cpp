#include "campaigns/sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace sweep_test {

RC_GTEST_PROP(Histogram, QuantilesAreThoseOfTheSortedValues, ()) {
  auto values = *rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::map(rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 1000), rc::gen::inRange(0, 40)),
                   [](const std::pair<std::int64_t, int>& p) { return p.first << p.second; }));
  RC_PRE(!values.empty());
  const auto percent = *rc::gen::inRange(1u, 101u);
  Histogram whole, front, back;
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole.add(values[i]);
    (i % 3 == 0 ? front : back).add(values[i]);
  }
  front.add(back);
  RC_ASSERT(front == whole);
  std::sort(values.begin(), values.end());
  const std::int64_t exact = values[(values.size() * percent + 99) / 100 - 1], found = whole.quantile(percent).value();
  RC_ASSERT(found <= exact);
  RC_ASSERT(static_cast<double>(exact - found) <= 0.008 * static_cast<double>(exact));
  RC_ASSERT(whole.most() == values.back());
  RC_ASSERT(Histogram::of_text(whole.text()) == whole);
}

TEST(Histogram, HasAShortText) {
  Histogram h;
  EXPECT_EQ(h.text(), "");
  EXPECT_EQ(Histogram::of_text(""), h);
  for (const std::int64_t value : {3, 3, 255, 256, 257, 258}) h.add(value);
  EXPECT_EQ(h.text(), "258:3*2,252,1*2,1");
  h.add(INT64_MAX);
  EXPECT_EQ(Histogram::of_text(h.text()), h);
  for (const char* const wrong : {"x", "1", "1:", "1:2*0", "1:2;3", "1:99999", "1,2"})
    EXPECT_THROW(Histogram::of_text(wrong), std::runtime_error) << wrong;
}

TEST(Histogram, WithoutValuesHasNoFigures) {
  EXPECT_FALSE(Histogram().quantile(50));
  EXPECT_FALSE(Histogram().most());
}

Scenario scenario(const std::vector<std::string>& set) {
  ScenarioFile file = load_scenario("paused_holder");
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = set, .without = {}}).errors.empty());
  return file.scenario;
}

SeedPlan plan(SeedRange seeds, unsigned jobs) {
  SeedPlan p;
  p.seeds = seeds;
  p.jobs = jobs;
  return p;
}

TEST(Sweep, ACellCountsWhatACampaignCounts) {
  const Scenario s = scenario({"lock.ttl=200ms"});
  const CellResult cell =
      std::get<0>(play_cell(s, plan({1, 100}, 2), {Property::mutual_exclusion, Property::lost_update}));
  CampaignOptions options;
  options.seeds = {1, 100};
  options.costs = true;
  const CampaignResult campaign = std::get<0>(run_campaign(s, options));
  for (const PropertySummary& p : campaign.properties) {
    const auto found = cell.properties.find(p.property);
    if (found == cell.properties.end()) continue;
    EXPECT_EQ(found->second.tally, p.tally);
    EXPECT_EQ(found->second.untested, p.untested);
    if (p.tally.count(Verdict::violated) > 0) {
      EXPECT_EQ(found->second.measures.most(), p.largest);
    }
  }
  EXPECT_EQ(cell.granted, campaign.costs->granted);
  EXPECT_EQ(cell.commands, campaign.costs->commands);
  EXPECT_EQ(cell.latency_ns.count(), campaign.costs->latency_ns.size());
}

TEST(Sweep, ThreadsChangeNothing) {
  const Scenario s = scenario({"lock.ttl=200ms"});
  const std::vector<Property> properties = {Property::mutual_exclusion};
  const CellResult one = std::get<0>(play_cell(s, plan({7, 200}, 1), properties));
  const CellResult three = std::get<0>(play_cell(s, plan({7, 200}, 3), properties));
  EXPECT_EQ(one.properties, three.properties);
  EXPECT_EQ(one.latency_ns, three.latency_ns);
  EXPECT_EQ(one.seeds, 194u);
}

TEST(Sweep, AnInterruptedCellHasItsFirstSeeds) {
  std::atomic<bool> stop{false};
  SeedPlan p = plan({1, 10'000}, 3);
  p.stop = &stop;
  p.progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= 200; };
  const Scenario s = scenario({"lock.ttl=200ms"});
  const CellResult cut = std::get<0>(play_cell(s, p, {Property::mutual_exclusion}));
  ASSERT_TRUE(cut.interrupted);
  ASSERT_GT(cut.seeds, 0u);
  const CellResult whole = std::get<0>(play_cell(s, plan({1, cut.seeds}, 1), {Property::mutual_exclusion}));
  EXPECT_EQ(cut.properties, whole.properties);
}

TEST(Campaign, AnInterruptedOneHasItsFirstSeeds) {
  std::atomic<bool> stop{false};
  CampaignOptions options;
  options.seeds = {1, 10'000};
  options.jobs = 3;
  options.stop = &stop;
  options.progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= 200; };
  const Scenario s = scenario({"lock.ttl=245ms"});
  const CampaignResult cut = std::get<0>(run_campaign(s, options));
  ASSERT_TRUE(cut.interrupted);
  ASSERT_GT(cut.runs, 0u);
  CampaignOptions shorter;
  shorter.seeds = {1, cut.runs};
  const CampaignResult whole = std::get<0>(run_campaign(s, shorter));
  EXPECT_EQ(cut.digest, whole.digest);
  EXPECT_EQ(cut.events, whole.events);
}

// The holder stops when it enters, and the other client is let in one lease later.
TEST(Sweep, AViolationHasTheInstantAtWhichTheSecondClientIsIn) {
  ScenarioFile file = load_scenario("paused_holder");
  ASSERT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = {"lock.ttl=245ms"}, .without = {}}).errors.empty());
  SeedPlan plan;
  plan.seeds = {1, 200};
  const CellResult cell = std::get<0>(play_cell(file.scenario, plan, {Property::mutual_exclusion}));
  const CellProperty& judged = cell.properties.at(Property::mutual_exclusion);
  EXPECT_EQ(judged.violated_at_ns.count(), judged.tally.count(Verdict::violated));
  EXPECT_EQ(judged.censored_at_ns.count(), judged.tally.count(Verdict::holds));
  ASSERT_GT(judged.violated_at_ns.count(), 0u);
  EXPECT_GT(*judged.violated_at_ns.quantile(1), 240'000'000);
  EXPECT_LT(*judged.violated_at_ns.most(), 400'000'000);
}

}  // namespace sweep_test
}  // namespace picklock
