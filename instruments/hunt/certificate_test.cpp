#include "instruments/hunt/certificate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "faults/text.hpp"
#include "instruments/hunt/hunt_lab.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

bool violates(const Scenario& scenario, std::uint64_t seed, Property property) {
  const auto runner = std::get<0>(Runner::compile(scenario));
  return of(runner->run(seed).findings, property).verdict == Verdict::violated;
}

// Counts the proper subsets of faults that violate the property with this seed, by plain loops, without the judge.
std::size_t smaller_sets_that_do(const Scenario& scenario, std::uint64_t seed, Property property) {
  std::size_t found = 0;
  const std::size_t all = (std::size_t{1} << scenario.faults.size()) - 1;
  for (std::size_t mask = 0; mask < all; ++mask) {
    Scenario part = scenario;
    part.faults.clear();
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
      if ((mask >> i & 1) != 0) part.faults.push_back(scenario.faults[i]);
    }
    found += violates(part, seed, property);
  }
  return found;
}

// Every property that a finding names needs all of its faults, with the seed that replays it.
TEST(Certificate, IsTrueOfAllFindingsOfAHunt) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(768);
  options.aim.properties = {Property::mutual_exclusion, Property::double_grant, Property::lost_update,
                            Property::wrong_release, Property::never_free_again};
  options.most_findings = 40;
  const HuntResult result = hunt(space, options);
  std::size_t with_several = 0, with_also = 0;
  for (const HuntFinding& f : result.findings) {
    const Shrunk& s = f.shrunk;
    const std::string text = to_text(s.scenario.faults);
    ASSERT_TRUE(s.certificate.complete()) << text;
    EXPECT_EQ(s.certificate.tried, (1u << s.scenario.faults.size()) - 1) << text;
    std::vector<Property> named = s.certificate.also;
    named.push_back(f.cause.failure.property);
    for (const Property p : named) {
      EXPECT_TRUE(violates(s.scenario, s.seed, p)) << info(p).name << "\n" << text;
      EXPECT_EQ(smaller_sets_that_do(s.scenario, s.seed, p), 0u) << info(p).name << "\n" << text;
    }
    with_several += s.scenario.faults.size() > 1;
    with_also += !s.certificate.also.empty();
  }
  EXPECT_GT(with_several, 0u);
  EXPECT_GT(with_also, 0u);
}

// The broken twin: a plan with a fault that it can spare, though the failure is then another one.
TEST(Certificate, IsRefusedToAPlanThatNeedsLess) {
  const Scenario paused = library("paused_holder");
  Scenario calm = paused;
  calm.faults.clear();
  // The kill ends the right by loss; without it the right expires: another failure of the same property.
  const ScenarioFile file = read_scenario(write_scenario(calm) + R"(
[[fault]]
kind = "kill"
node = "redis"
on = "b acquires"
restart-after = "100ms"
[[fault]]
kind = "pause"
node = "storage"
lasts = "100ms"
)",
                                          "both.toml");
  ASSERT_TRUE(file.ok());
  const Scenario both = file.scenario;
  ASSERT_EQ(both.faults.size(), 2u);
  Aim aim;
  const Judge judge(paused, aim);
  ASSERT_TRUE(judge.play(both, 1).failed());
  const Certificate refused = certify(judge, both, 1, Property::mutual_exclusion, 1'000);
  EXPECT_FALSE(refused.complete());
  ASSERT_TRUE(refused.smaller);
  ASSERT_EQ(refused.smaller_faults.size(), 1u);
  EXPECT_EQ(refused.smaller_faults.front().kind, "pause");
  EXPECT_NE(refused.smaller->right_end, judge.play(both, 1).failures.front().right_end);
  EXPECT_GT(smaller_sets_that_do(both, 1, Property::mutual_exclusion), 0u);
  const Certificate given = certify(judge, paused, 1, Property::mutual_exclusion, 1'000);
  EXPECT_TRUE(given.complete());
  EXPECT_EQ(given.tried, 1u);
  const Certificate cut = certify(judge, paused, 1, Property::mutual_exclusion, 0);
  EXPECT_FALSE(cut.complete()) << "nothing was tried";
  EXPECT_FALSE(cut.smaller);
}

TEST(Certificate, GoesThroughAllSubsetsOnce) {
  Scenario four = library("paused_holder");
  const Fault pause = four.faults.front();
  four.faults.assign(4, pause);
  Aim aim;
  aim.properties = {Property::wrong_release};  // none of the four pauses breaks it
  const Judge judge(four, aim);
  const Certificate c = certify(judge, four, 1, Property::wrong_release, 1'000);
  EXPECT_EQ(c.subsets, 15u);
  EXPECT_EQ(c.tried, 15u);
  EXPECT_TRUE(c.complete());
}

}  // namespace
}  // namespace picklock
