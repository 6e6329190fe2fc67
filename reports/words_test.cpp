#include "reports/words.hpp"

#include <gtest/gtest.h>

#include <string>

#include "reports/campaigns/table.hpp"

namespace picklock {
namespace {

PropertySummary summary(Verdict verdict, int runs, std::uint64_t not_tested = 0) {
  PropertySummary s;
  s.property = Property::mutual_exclusion;
  for (int i = 1; i <= runs; ++i) s.tally.add(verdict, static_cast<std::uint64_t>(i));
  s.expectation = Expectation{Verdict::violated, Seeds::every};
  s.fulfilment = fulfilment(*s.expectation, s.tally);
  s.untested.counts[static_cast<std::size_t>(Untested::vacuous)] = not_tested;
  return s;
}

TEST(Expectations, AnUnmetOneIsToldInFull) {
  Scenario scenario;
  scenario.lock.name = "redlock";
  EXPECT_EQ(unmet_expectation(scenario, summary(Verdict::holds, 10)),
            "mutual-exclusion: NOT as expected: redlock claims \"violated in every run\"; it held in 10 of 10\n");
  scenario.expect["mutual-exclusion"] = Expectation{Verdict::violated, Seeds::every};
  PropertySummary both = summary(Verdict::holds, 7);
  for (std::uint64_t seed = 8; seed <= 10; ++seed) both.tally.add(Verdict::violated, seed);
  EXPECT_EQ(unmet_expectation(scenario, both),
            "mutual-exclusion: NOT as expected: the scenario expects \"violated in every run\"; "
            "it held in 7, was violated in 3 of 10\n");
}

// Three of ten runs test it, in none of the others did a second client get in.
TEST(CampaignTable, RunsInWhichOneClientAloneHeldTheLockAreNotTested) {
  PropertySummary s = summary(Verdict::holds, 10);
  s.counted.emplace();
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    s.counted->add(seed <= 3 ? Verdict::holds : Verdict::undecided, seed);
  s.untested.counts[static_cast<std::size_t>(Untested::held_alone)] = 7;
  s.expectation = Expectation{Verdict::holds, Seeds::every};
  s.fulfilment = Fulfilment::as_expected;
  CampaignResult result;
  result.seeds = {1, 10};
  result.runs = 10;
  result.properties = {s};
  const Scenario scenario;
  const std::string some = campaign_table(scenario, result, false, "picklock run x --seed ");
  EXPECT_NE(some.find("at most one client ever held the lock in 7 of 10 runs"), std::string::npos) << some;
  EXPECT_NE(some.find("3 runs (30.0 %) test it"), std::string::npos) << some;
  EXPECT_NE(some.find("yes: holds in every run"), std::string::npos) << some;
  result.properties[0].counted = summary(Verdict::undecided, 10).tally;
  const std::string none = campaign_table(scenario, result, false, "picklock run x --seed ");
  EXPECT_NE(none.find("yes, but not tested: holds in every run"), std::string::npos) << none;
  result.properties[0].fulfilment = Fulfilment::undecided;
  result.properties[0].untested.counts[static_cast<std::size_t>(Untested::held_alone)] = 10;
  const std::string open = campaign_table(scenario, result, false, "picklock run x --seed ");
  EXPECT_NE(open.find("  not tested: holds in every run"), std::string::npos) << open;
  EXPECT_EQ(open.find(" 0 %, below"), std::string::npos) << "no share of runs that test nothing: " << open;
}

TEST(CampaignTable, TellsWhatWasNotTestedAndWhatIsNotAsExpected) {
  Scenario scenario;
  scenario.expect["mutual-exclusion"] = Expectation{Verdict::violated, Seeds::every};
  CampaignResult result;
  result.seeds = {1, 10};
  result.runs = 10;
  const auto table = [&](const PropertySummary& s) {
    result.properties = {s};
    return campaign_table(scenario, result, false, "picklock run x --seed ");
  };
  EXPECT_NE(table(summary(Verdict::violated, 10)).find("yes: violated in every run"), std::string::npos);
  EXPECT_NE(table(summary(Verdict::undecided, 10, 10)).find("not tested: violated in every run"), std::string::npos);
  EXPECT_NE(table(summary(Verdict::undecided, 10, 4)).find("undecided: violated in every run"), std::string::npos);
  EXPECT_NE(table(summary(Verdict::holds, 10))
                .find("\nmutual-exclusion: NOT as expected: the scenario expects \"violated in every run\"; it held in "
                      "10 of 10\n"),
            std::string::npos);
  PropertySummary plain = summary(Verdict::undecided, 10, 10);
  plain.expectation.reset();
  EXPECT_NE(table(plain).find("  not tested\n"), std::string::npos);
}

}  // namespace
}  // namespace picklock
