#include "campaigns/table_verdict.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/text.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/comparison.hpp"
#include "campaigns/sweep.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace table_verdict_test {

Scenario long_pause(const std::string& lasts, bool grows) {
  ScenarioFile file = load_scenario("paused_holder");
  std::vector<std::string> set = {"lock.lease=4s", "fault[0].lasts=" + lasts};
  if (!grows) set.emplace_back("phases.load=5s");
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = "zookeeper-lock", .set = set, .without = {}}).errors.empty());
  return file.scenario;
}

CellResult cell(const Scenario& scenario) {
  SeedPlan plan;
  plan.seeds = {1, 40};
  return std::get<0>(play_cell(scenario, plan, {Property::mutual_exclusion}));
}

// The load of 5 s cuts pauses of 5, 6 and 8 s off: three rows that say the same, and nothing of these lengths.
TEST(TableVerdict, ACutFaultIsNotTested) {
  for (const char* const lasts : {"5s", "6s", "8s"}) {
    const CellResult cut = cell(long_pause(lasts, false));
    const CellProperty& exclusion = cut.properties.at(Property::mutual_exclusion);
    EXPECT_EQ(exclusion.untested[Untested::fault_cut_off] + exclusion.tally.count(Verdict::violated), 40u) << lasts;
    EXPECT_EQ(exclusion.tally.count(Verdict::holds), 0u);
    EXPECT_EQ(cut.faults.front().cut_off, 40u);
    EXPECT_LE(*cut.faults.front().longest, seconds(5));
  }
}

TEST(TableVerdict, AGrownLoadTestsWhatTheCellSays) {
  for (const char* const lasts : {"5s", "6s", "8s"}) {
    const CellResult whole = cell(long_pause(lasts, true));
    const CellProperty& exclusion = whole.properties.at(Property::mutual_exclusion);
    EXPECT_EQ(exclusion.untested[Untested::fault_cut_off], 0u);
    EXPECT_EQ(exclusion.tally.decided() + exclusion.untested[Untested::fault_after_contest], 40u)
        << "in some runs b comes first, and a is alone when it stops";
    EXPECT_GT(exclusion.tally.count(Verdict::violated), 0u) << "each outlasts a session of 4 s";
    EXPECT_EQ(whole.faults.front().cut_off, 0u);
    EXPECT_EQ(whole.faults.front().shortest, parse_duration(lasts));
  }
}

// A table names the settle phase that decides the runs which ended while some client still waited; then it does.
TEST(TableVerdict, RunsThatEndTooSoonNameTheSettingThatDecidesThem) {
  Scenario scenario = load_scenario("redisson_missed_message").scenario;
  const auto settle_of = [&] {
    CampaignOptions options;
    options.seeds = {1, 5};
    std::map<Property, Duration> all;
    const auto result = run_campaign(scenario, options);
    for (const PropertySummary& s : std::get<0>(result).properties) {
      if (s.settle > Duration{}) all[s.property] = s.settle;
    }
    return all;
  };
  const auto named = settle_of();
  ASSERT_FALSE(named.empty());
  for (const auto& [property, settle] : named) scenario.phases.settle = std::max(scenario.phases.settle, settle);
  EXPECT_TRUE(settle_of().empty());
}

// The broken twin is the checker's own verdict: it says of each run that exclusion held, which is true and no answer.
TEST(TableVerdict, CampaignsAndComparisonsLeaveCutRunsOut) {
  const Scenario cut = long_pause("5s", false);
  CampaignOptions options;
  options.seeds = {1, 40};
  options.raw = true;
  const CampaignResult campaign = std::get<0>(run_campaign(cut, options));
  const PropertySummary& s = campaign.properties.front();
  ASSERT_EQ(s.property, Property::mutual_exclusion);
  if (s.tally.count(Verdict::violated) == 0) {
    EXPECT_EQ(s.tally.count(Verdict::holds), 40u) << "the twin";
    EXPECT_EQ(campaign.exit_status(), 3);
  }
  EXPECT_EQ(s.figures().count(Verdict::holds), 0u);
  EXPECT_EQ(s.untested[Untested::fault_cut_off], s.tally.count(Verdict::holds));

  SeedPlan plan;
  plan.seeds = {1, 40};
  const auto compared = std::get<0>(
      run_comparison({{"cut", cut}, {"whole", long_pause("5s", true)}}, plan, {Property::mutual_exclusion}));
  EXPECT_EQ(compared.contestants[0].untested.at(Property::mutual_exclusion), s.untested);
  EXPECT_EQ(compared.contestants[0].faults.front().cut_off, 40u);
  EXPECT_EQ(compared.contestants[1].faults.front().cut_off, 0u);
}

}  // namespace table_verdict_test
}  // namespace picklock
