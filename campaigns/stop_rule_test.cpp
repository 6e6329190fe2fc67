#include "campaigns/stop_rule.hpp"

#include <gtest/gtest.h>

#include "campaigns/sweep.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace stop_rule_test {

Tally tally(std::uint64_t violated, std::uint64_t held) {
  Tally t;
  t.counts[static_cast<std::size_t>(Verdict::violated)] = violated;
  t.counts[static_cast<std::size_t>(Verdict::holds)] = held;
  return t;
}

TEST(StopRule, DecidesAClaimInBothDirections) {
  EXPECT_EQ(decided_below(1e-4, tally(0, 1000)), std::nullopt);
  EXPECT_EQ(decided_below(1e-4, tally(0, 200'000)), true);
  EXPECT_EQ(decided_below(1e-4, tally(30, 1000)), false);
  EXPECT_EQ(decided_below(1e-4, tally(0, 0)), std::nullopt);
  EXPECT_FALSE((StopRule{.width = 0.01, .bound = 0.5}).is_met(tally(2, 100)));
  EXPECT_TRUE((StopRule{.width = {}, .bound = 0.5}).is_met(tally(2, 100)));
}

TEST(StopRule, IsReadFromText) {
  EXPECT_EQ(parse_share("1%"), 0.01);
  EXPECT_EQ(parse_share(" 0.5 % "), 0.005);
  EXPECT_EQ(parse_share("0.02"), 0.02);
  EXPECT_EQ(parse_claim("P<1e-4"), 1e-4);
  EXPECT_EQ(parse_claim(" P < 2 %"), 0.02);
  for (const char* wrong : {"", "%", "0", "1", "100%", "-1%", "nan", "1%%", "x"})
    EXPECT_FALSE(parse_share(wrong)) << wrong;
  for (const char* wrong : {"", "P", "P<", "P>1e-4", "1e-4", "P<2", "p<0.1"}) EXPECT_FALSE(parse_claim(wrong)) << wrong;
}

// A cell stops behind the same seed for any number of threads.
TEST(StopRule, StopsACellAtTheSameSeedForAnyThreads) {
  ScenarioFile file = load_scenario("paused_holder");
  ASSERT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = {"lock.ttl=245ms"}, .without = {}}).errors.empty());
  const auto played = [&](unsigned jobs) {
    SeedPlan plan;
    plan.seeds = {1, 100'000};
    plan.jobs = jobs;
    return std::get<0>(play_cell(file.scenario, plan, {Property::mutual_exclusion}, {.width = 0.1, .bound = {}}));
  };
  const CellResult one = played(1), four = played(4);
  EXPECT_FALSE(one.interrupted);
  EXPECT_LT(one.seeds, 5000u);
  EXPECT_EQ(one.seeds, four.seeds);
  EXPECT_EQ(one.properties, four.properties);
  EXPECT_EQ(one.latency_ns, four.latency_ns);
}

TEST(Chunks, DependOnTheirPlaceAlone) {
  std::uint64_t begin = 0, chunks = 0;
  for (; begin < 1'000'000; ++chunks) {
    EXPECT_EQ(begin % chunk_size(begin), 0u);
    begin += chunk_size(begin);
  }
  EXPECT_LT(chunks, 1200u);
}

}  // namespace stop_rule_test
}  // namespace picklock
