#include "campaigns/keep.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "campaigns/campaign.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace keep_test {

namespace fs = std::filesystem;

// A folder of this test alone, removed with all that it holds.
struct Folder {
  fs::path path = fs::path(PICKLOCK_BUILD_DIR) /
                  ("picklock_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

Scenario scenario(const std::string& name, const std::vector<std::string>& set = {}) {
  ScenarioFile file = load_scenario(name);
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = set, .without = {}}).errors.empty());
  return file.scenario;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

KeepOptions into(const Folder& folder) {
  KeepOptions options;
  options.folder = (folder.path / "kept").string();
  return options;
}

TEST(Keep, AKeptFilePlaysTheSameRunAndExpectsWhatItShows) {
  const Folder folder;
  const Scenario found = scenario("paused_holder");
  const KeptRun kept = keep_run(found, 17, into(folder));
  EXPECT_EQ(text_of(kept.path), kept.text);
  EXPECT_EQ(kept.replay, "picklock run " + kept.path + " --seed 17");

  const ScenarioFile file = load_scenario(kept.path);
  ASSERT_TRUE(file.ok()) << print(file.errors[0]);
  EXPECT_EQ(file.seed, 17u);
  EXPECT_TRUE(file.scenario == kept.scenario);
  const auto original = std::get<0>(Runner::compile(found)), again = std::get<0>(Runner::compile(file.scenario));
  EXPECT_EQ(original->run(17).digest, again->run(17).digest);
  EXPECT_EQ(file.scenario.expect.at("mutual-exclusion"), (Expectation{Verdict::violated, Seeds::every}));
  for (const PropertyInfo& p : properties()) {
    const PropertySummary s = summarize(of(again->run(17).findings, p.property), 17, file.scenario, false);
    if (s.expectation) {
      EXPECT_EQ(s.fulfilment, Fulfilment::as_expected) << p.name;
    }
  }
}

TEST(Keep, TheCommentTellsWhatHappensAndHowToPlayItAgain) {
  const Folder folder;
  KeepOptions options = into(folder);
  options.program = "my locks";
  options.properties = {Property::lost_update};
  options.story = [](const RunRecord& r) { return "seed " + std::to_string(r.result.seed) + " as a picture"; };
  const KeptRun kept = kept_run(scenario("paused_holder"), 3, options);
  EXPECT_EQ(kept.violated, std::vector<Property>{Property::lost_update});
  const std::string& said = kept.scenario.description;
  EXPECT_EQ(said.substr(0, said.find('\n')), "The lock set-nx-px violates lost-update in the run of seed 3.");
  EXPECT_NE(said.find("\nlost-update: "), said.npos) << said;
  EXPECT_NE(said.find("\n\nseed 3 as a picture\n\nagain:  'my locks' run "), said.npos) << said;
  EXPECT_FALSE(fs::exists(kept.path)) << "kept_run() writes nothing";
}

TEST(Keep, FaultsThatStruckNothingAreLeftOut) {
  Scenario found = scenario("paused_holder");
  found.faults.insert(found.faults.begin(), found.faults[0]);
  found.faults[0].trigger.count = 1000;
  EXPECT_EQ(kept_run(found, 1).scenario.faults, scenario("paused_holder").faults);
}

TEST(Keep, TheSameRunIsKeptOnceAndAnotherBesideIt) {
  const Folder folder;
  const Scenario found = scenario("paused_holder"), other = scenario("paused_holder", {"clients.b.hold=80ms"});
  const std::string path = keep_run(found, 1, into(folder)).path;
  EXPECT_EQ(keep_run(found, 1, into(folder)).path, path);
  EXPECT_NE(keep_run(found, 2, into(folder)).path, path);
  EXPECT_NE(keep_run(other, 1, into(folder)).path, path);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path / "kept"), fs::directory_iterator()), 3);
}

TEST(Keep, ARunWithoutAViolationIsRefusedAndLeavesNothing) {
  const Folder folder;
  EXPECT_THROW(keep_run(scenario("healthy_control"), 1, into(folder)), std::runtime_error);
  KeepOptions other = into(folder);
  other.properties = {Property::deadlock};
  EXPECT_THROW(keep_run(scenario("paused_holder"), 1, other), std::runtime_error);
  EXPECT_THROW(keep_run(scenario("paused_holder"), UINT64_MAX, into(folder)), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder.path));
}

// Whatever the library has: services, overrides of draws, reseeding, several locks.
TEST(Keep, EveryKindOfScenarioCanBeKept) {
  for (const char* name :
       {"etcd_paused_holder", "zookeeper_paused_holder", "redlock_clock_jump", "failover_loses_the_lock",
        "seats_payment_longer_than_the_lease", "deadlock_opposite_order"}) {
    const KeptRun kept = kept_run(scenario(name), 1);
    EXPECT_FALSE(kept.violated.empty()) << name;
  }
}

TEST(Keep, ASeedIsAnIntegerFromZeroOn) {
  EXPECT_EQ(read_scenario("seed = 5\nlock = \"set-nx-px\"\n", "x.toml").seed, 5u);
  EXPECT_FALSE(read_scenario("lock = \"set-nx-px\"\n", "x.toml").seed);
  for (const char* text : {"seed = -1\n", "seed = \"5\"\n", "seed = 1.5\n", "seed = [1]\n"}) {
    const ScenarioFile file = read_scenario(text, "x.toml");
    ASSERT_EQ(file.errors.size(), 1u) << text;
    EXPECT_EQ(file.errors[0].expected, "the seed of a run, an integer from 0 on");
  }
}

}  // namespace keep_test
}  // namespace picklock
