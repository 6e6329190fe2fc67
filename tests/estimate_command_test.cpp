// `picklock estimate` as a user meets it, and recipes of reseeds.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command_runs.hpp"
#include "tests/json_schema.hpp"

namespace picklock::testing {
namespace estimate_command_test {

using nlohmann::json;

const std::string kOnePause = PICKLOCK_SOURCE_DIR "/scripts/estimates/one_pause.toml";
const std::string kRare = " --set 'fault[0].lasts=exp(3ms, cap 4s)' --plain-runs 500 --samples 60";
const std::string kSplitting = kRare + " --method splitting --trajectories 60";

TEST(EstimateCommand, PrintsTheEstimateAndItsMethod) {
  const Ran ran = run_picklock("estimate " + kOnePause + kRare);
  EXPECT_EQ(ran.status, 0) << ran.out;
  for (const char* part : {"1.99e-08", "conditional Monte Carlo over world/fault@world#0.2", "0 of 500 violate it"})
    EXPECT_TRUE(has(ran, part)) << part << " in " << ran.out;
}

TEST(EstimateCommand, DocumentsFitTheirSchema) {
  const json schema = json::parse(content(PICKLOCK_SOURCE_DIR "/docs/schema/estimate.schema.json"));
  for (const std::string& words : {kRare, kSplitting, std::string(" --method counting --plain-runs 2000"),
                                   std::string(" --set fault[0].lasts=1ms --plain-runs 200 --trajectories 50")}) {
    const json document =
        json::parse(run_picklock("estimate " + kOnePause + words + " --format json").out, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << words;
    for (const std::string& problem : SchemaCheck::problems(schema, document))
      ADD_FAILURE() << words << ": " << problem;
  }
}

TEST(EstimateCommand, IsRefusedInWordsAndByItsStatus) {
  const Ran ran =
      run_picklock("estimate " + kOnePause + " --set fault[0].lasts=1ms --plain-runs 200 --trajectories 50");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(has(ran, "refused: the pilot is stuck at level")) << ran.out;
  EXPECT_FALSE(has(ran, "95 %:")) << ran.out;
  EXPECT_EQ(run_picklock("estimate " + kOnePause + " --replications 5").status, 2);
  EXPECT_EQ(run_picklock("estimate " + kOnePause + " --property speed").status, 2);
  EXPECT_EQ(run_picklock("estimate " + kOnePause + " --method luck").status, 2);
  EXPECT_EQ(run_picklock("estimate nowhere.toml").status, 2);
}

// The line that an estimate prints plays the rare run, and so does the file that it writes; explain takes both.
TEST(EstimateCommand, RareRunsArePlayedAgain) {
  for (const std::string& words : {kRare, kSplitting}) {
    const std::string file = scratch("rare") + ".toml";
    const Ran ran = run_picklock("estimate " + kOnePause + words + " --recipe " + file + " --format json 2>/dev/null");
    ASSERT_EQ(ran.status, 0) << ran.out;
    const json document = json::parse(ran.out.substr(ran.out.find('{')), nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << ran.out;
    const std::string replay = document["rare_run"]["replay"];
    const Ran line = run_picklock(replay.substr(replay.find(' ') + 1) + " --format json"),
              kept = run_picklock("run " + file + " --format json");
    EXPECT_EQ(kept.status, 0) << "it is expected there";
    const json one = json::parse(line.out, nullptr, false), other = json::parse(kept.out, nullptr, false);
    ASSERT_FALSE(one.is_discarded() || other.is_discarded()) << line.out << kept.out;
    EXPECT_EQ(one["digest"], other["digest"]);
    const Ran explained = run_picklock("explain " + file);
    EXPECT_EQ(explained.status, 0) << explained.out;
    EXPECT_TRUE(has(explained, "mutual-exclusion is violated")) << explained.out;
    EXPECT_EQ(run_picklock("run " + file + " --html " + scratch("rare") + ".html").status, 0);
  }
}

TEST(Reseeding, TakesARecipeInOneWord) {
  const Ran plain = run_picklock("run paused_holder --seed 3 --format json"),
            other = run_picklock("run paused_holder --seed 3 --reseed 40ms:7,60ms:99 --format json"),
            set = run_picklock("run paused_holder --seed 3 --set reseed=40ms:7,60ms:99 --format json");
  EXPECT_EQ(json::parse(other.out)["digest"], json::parse(set.out)["digest"]);
  EXPECT_NE(json::parse(other.out)["digest"], json::parse(plain.out)["digest"]);
  const Ran wrong = run_picklock("run paused_holder --reseed 40ms");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(has(wrong, "INSTANT:SEED")) << wrong.out;
}

}  // namespace estimate_command_test
}  // namespace picklock::testing
