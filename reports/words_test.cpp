#include "reports/words.hpp"

#include <gtest/gtest.h>

#include <string>

#include "reports/table.hpp"

namespace picklock {
namespace {

PropertySummary summary(Verdict verdict, int runs, std::uint64_t not_tested = 0) {
  PropertySummary s;
  s.property = Property::mutual_exclusion;
  for (int i = 1; i <= runs; ++i) s.tally.add(verdict, static_cast<std::uint64_t>(i));
  s.expectation = Expectation{Verdict::violated, Seeds::every};
  s.fulfilment = fulfilment(*s.expectation, s.tally);
  s.not_tested = not_tested;
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
