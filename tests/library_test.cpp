// Every scenario of the library does what it says, and does it again.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "faults/fault_kinds.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/file/library.hpp"
#include "sim/core/test_effort.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

// So many in the tests; scripts/verify runs 10,000 of each, and controls 100,000.
constexpr std::uint64_t kSeeds = testing::kInstrumented ? 20 : 100;

std::string library_folder() { return PICKLOCK_SOURCE_DIR "/scenarios/library"; }

std::vector<std::string> library() {
  std::vector<std::string> names;
  for (const LibraryEntry& e : scenarios_in(library_folder())) names.push_back(e.name);
  return names;
}

Scenario scenario_of(const std::string& name) {
  ScenarioFile file = load_scenario(library_folder() + "/" + name + ".toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return std::move(file.scenario);
}

CampaignResult campaign(const Scenario& scenario, SeedRange seeds, unsigned jobs = 1) {
  CampaignOptions options;
  options.seeds = seeds;
  options.jobs = jobs;
  auto result = run_campaign(scenario, options);
  if (const auto* problems = std::get_if<1>(&result)) {
    for (const ScenarioProblem& p : *problems)
      ADD_FAILURE() << p.where << ": found " << p.found << ", expected " << p.expected;
    return {};
  }
  return std::get<0>(result);
}

std::unique_ptr<Runner> runner_of(const Scenario& scenario) {
  auto compiled = Runner::compile(scenario);
  return std::holds_alternative<std::unique_ptr<Runner>>(compiled) ? std::move(std::get<0>(compiled)) : nullptr;
}

class Library : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, Library, ::testing::ValuesIn(library()),
                         [](const auto& instance) { return instance.param; });

TEST_P(Library, GivesItsExpectedVerdictsOnEverySeed) {
  const CampaignResult r = campaign(scenario_of(GetParam()), {1, kSeeds});
  for (const PropertySummary& s : r.properties) {
    if (!s.expectation) continue;
    EXPECT_EQ(s.fulfilment, Fulfilment::as_expected)
        << info(s.property).name << ": " << print(*s.expectation) << "; holds " << s.tally.count(Ruling::holds)
        << ", violated " << s.tally.count(Ruling::violated) << ", undecided " << s.tally.count(Ruling::undecided)
        << "; picklock run " << GetParam() << " --seeds 1.." << kSeeds;
  }
  EXPECT_TRUE(r.errors.empty());
  EXPECT_EQ(r.cut_off, 0u);
}

TEST_P(Library, IsTheSameTwiceInAFreshWorldAndInAUsedOne) {
  const Scenario scenario = scenario_of(GetParam());
  const auto used = runner_of(scenario);
  ASSERT_NE(used, nullptr);
  std::map<std::uint64_t, std::uint64_t> first;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) first[seed] = used->run(seed).digest;
  for (std::uint64_t seed = 10; seed >= 1; --seed) EXPECT_EQ(used->run(seed).digest, first[seed]) << "seed " << seed;
  const auto fresh = runner_of(scenario);
  EXPECT_EQ(fresh->run(7, {.full_trace = true, .draws = true}).digest, first[7]) << "recording must change nothing";
  std::set<std::uint64_t> distinct;
  for (const auto& [seed, digest] : first) distinct.insert(digest);
  EXPECT_EQ(distinct.size(), first.size()) << "seeds must differ";
}

TEST_P(Library, ThreadsChangeNothing) {
  const Scenario scenario = scenario_of(GetParam());
  const CampaignResult one = campaign(scenario, {1, kSeeds / 2}, 1), two = campaign(scenario, {1, kSeeds / 2}, 2);
  EXPECT_EQ(one.digest, two.digest);
  EXPECT_EQ(one.events, two.events);
  ASSERT_EQ(one.properties.size(), two.properties.size());
  for (std::size_t i = 0; i < one.properties.size(); ++i) {
    EXPECT_EQ(one.properties[i].tally, two.properties[i].tally) << info(one.properties[i].property).name;
  }
}

// Sorted.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

// The same digests under every compiler, level and sanitizer: the file is compared by all presets.
TEST(LibraryDigests, AreThoseOfTheGoldenFile) {
  std::string now = "# digest of seed 1, of seed 2, and of the campaign over seeds 1..20; see docs/determinism.md\n";
  for (const std::string& name : library()) {
    const Scenario scenario = scenario_of(name);
    const auto runner = runner_of(scenario);
    ASSERT_NE(runner, nullptr) << name;
    const std::uint64_t one = runner->run(1).digest, two = runner->run(2).digest;
    now += fmt::format("{} {:016x} {:016x} {:016x}\n", name, one, two, campaign(scenario, {1, 20}).digest);
  }
  const std::string path = PICKLOCK_SOURCE_DIR "/tests/testdata/library_digests.txt";
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << now;
    GTEST_SKIP() << "rewrote " << path;
  }
  std::stringstream golden;
  golden << std::ifstream(path).rdbuf();
  const std::vector<std::string> is = lines_of(now), was = lines_of(golden.str());
  std::vector<std::string> come, gone;
  std::ranges::set_difference(is, was, std::back_inserter(come));
  std::ranges::set_difference(was, is, std::back_inserter(gone));
  EXPECT_EQ(come, gone)
      << "now, and in the file; if the change is meant: PICKLOCK_REWRITE_GOLDEN=1, and say why in the commit";
}

// All that the project offers is put to use by its own library, or is named here with a reason.
TEST(LibraryCoverage, EveryLockIsUsed) {
  std::set<std::string> used;
  for (const std::string& name : library()) used.insert(scenario_of(name).lock.kind);
  for (const LockKind& k : lock_kinds()) {
    if (k.name == "getset-timestamp" || used.count(std::string(k.name)) != 0) continue;
    ADD_FAILURE() << k.name << " is in no scenario";
  }
}

// What the assumptions are assessed by.
TEST(LibraryExecuted, AFailoverIsCountedAndBreaksNoFailovers) {
  const auto lost = runner_of(scenario_of("failover_loses_the_lock")), calm = runner_of(scenario_of("healthy_control"));
  EXPECT_EQ(lost->run(1).executed.failovers, 1);
  const auto broken = [](const Assessment& a) { return a.assumption.kind == AssumptionKind::no_failovers && !a.met; };
  EXPECT_TRUE(std::ranges::any_of(lost->run(1).assumptions, broken));
  EXPECT_EQ(calm->run(1).executed.failovers, 0);
}

// --- broken twins: for each property some scenario violates it, and its repaired twin does not

struct Twin {
  Property property;
  std::string broken, sound;
};
class Twins : public ::testing::TestWithParam<Twin> {};
INSTANTIATE_TEST_SUITE_P(
    OfEachProperty, Twins,
    ::testing::Values(Twin{Property::mutual_exclusion, "renewal_lost_in_partition", "renewal_honouring_deadline"},
                      Twin{Property::double_grant, "restart_without_fsync", "restart_with_fsync"},
                      Twin{Property::lost_update, "paused_holder", "paused_holder_fenced"},
                      Twin{Property::stale_write, "paused_holder", "paused_holder_fenced"},
                      Twin{Property::wrong_release, "delete_of_anothers_lock", "healthy_control"},
                      Twin{Property::wrong_renewal, "getset_renewal_frees_another", "renewal_honouring_deadline"},
                      Twin{Property::never_free_again, "crash_between_setnx_and_expire", "zombie_command"},
                      Twin{Property::starvation, "server_clock_step_back", "healthy_control"},
                      Twin{Property::sold_twice, "seats_as_written", "seats_repaired"}),
    [](const auto& instance) {
      std::string name(picklock::info(instance.param.property).name);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_P(Twins, TheBrokenOneIsCaughtAndTheSoundOneIsNot) {
  const auto tally = [&](const std::string& scenario) {
    for (const PropertySummary& s : campaign(scenario_of(scenario), {1, 100}).properties) {
      if (s.property == GetParam().property) return s.tally;
    }
    return Tally{};
  };
  EXPECT_EQ(tally(GetParam().broken).count(Ruling::violated), 100u);
  const Tally sound = tally(GetParam().sound);
  EXPECT_EQ(sound.count(Ruling::violated), 0u);
  EXPECT_EQ(sound.count(Ruling::holds), 100u);
}

// --- a draw depends on its name alone

std::map<std::string, std::int64_t> draws_of(Runner& runner, std::uint64_t seed) {
  runner.run(seed, {.draws = true});
  std::map<std::string, std::int64_t> all;
  for (const DrawRecord& d : runner.world().draws.logged()) all[runner.world().draw_name(d)] = d.value;
  return all;
}

TEST(Draws, DeletingAFaultLeavesUnrelatedDrawsAsTheyWere) {
  const Scenario with = scenario_of("paused_holder");
  Scenario without = with;
  without.faults.clear();
  const auto a = runner_of(with), b = runner_of(without);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto before = draws_of(*a, seed), after = draws_of(*b, seed);
    std::size_t common = 0;
    for (const auto& [name, value] : before) {
      const auto same = after.find(name);
      if (same == after.end()) continue;  // an operation that only happens in one of them
      ++common;
      EXPECT_EQ(same->second, value) << name << " in seed " << seed;
    }
    EXPECT_GT(common, 10u);
  }
}

TEST(Draws, AnOverrideByItsPrintedNameHitsExactlyThatDraw) {
  Scenario scenario = scenario_of("paused_holder");
  const auto plain = runner_of(scenario);
  const auto before = draws_of(*plain, 3);
  const std::string name = "a>redis/latency@a#1.1";
  ASSERT_TRUE(before.count(name)) << "the first segment that a sends";
  scenario.overrides = {{name, seconds(2).ns}};
  const auto pinned = runner_of(scenario);
  ASSERT_NE(pinned, nullptr);
  EXPECT_EQ(draws_of(*pinned, 3).at(name), seconds(2).ns);
}

TEST(Draws, ReseedingKeepsAllThatCameBefore) {
  Scenario scenario = scenario_of("healthy_control");
  const auto plain = runner_of(scenario);
  plain->run(5, {.draws = true});
  const std::vector<DrawRecord> before = plain->world().draws.logged();
  scenario.reseed = Reseed{milliseconds(60), 99};
  const auto reseeded = runner_of(scenario);
  reseeded->run(5, {.draws = true});
  const std::vector<DrawRecord>& after = reseeded->world().draws.logged();
  std::size_t same = 0;
  for (; same < std::min(before.size(), after.size()); ++same) {
    if (before[same].value != after[same].value) break;
  }
  ASSERT_LT(same, after.size()) << "nothing was drawn anew";
  EXPECT_GE(after[same].time, TrueTime{} + milliseconds(60));
}

}  // namespace
}  // namespace picklock
