// Every scenario of the library does what it says.  For the digests of its runs see library_digests_test.cpp.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "sim/core/effort_lab.hpp"
#include "sim/core/world.hpp"
#include "tests/library_runs.hpp"
#include "tests/verdict_profiles.hpp"

namespace picklock {
namespace {

// scripts/verify runs 10,000 seeds of each scenario, and 100,000 of those that expect no violation.
constexpr std::uint64_t kSeeds = testing::kInstrumented ? 20 : 100;
constexpr std::uint64_t kProfileSeeds = 20;

const std::string kProfiles = PICKLOCK_SOURCE_DIR "/tests/testdata/verdict_profiles.txt";
bool rewriting() { return std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr; }

class Library : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, Library, ::testing::ValuesIn(library_names()), [](const auto& instance) {
  std::string name = instance.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST_P(Library, GivesItsVerdicts) {
  if (rewriting()) GTEST_SKIP() << "VerdictProfiles.* writes them";
  static const VerdictProfiles profiles = read_verdict_profiles(file_content(kProfiles));
  const Scenario scenario = library_scenario(GetParam());
  const CampaignResult first = campaign(scenario, {1, kProfileSeeds});
  const auto golden = profiles.find(GetParam());
  ASSERT_NE(golden, profiles.end()) << "not in " << kProfiles;
  EXPECT_EQ(verdict_profile(first), golden->second)
      << "now, and in " << kProfiles
      << "; if the change is meant: PICKLOCK_REWRITE_GOLDEN=1, and say why in the commit";
  std::map<Property, Tally> tallies;
  const auto judge = [&](const CampaignResult& r) {
    for (const PropertySummary& s : r.properties) tallies[s.property].add(s.tally);
    EXPECT_TRUE(r.errors.empty());
    EXPECT_EQ(r.cut_off, 0u);
  };
  judge(first);
  if (kSeeds > kProfileSeeds) judge(campaign(scenario, {kProfileSeeds + 1, kSeeds}));
  for (const auto& [property, tally] : tallies) {
    const auto expected = expected_of(property, scenario);
    if (!expected) continue;
    EXPECT_EQ(fulfilment(*expected, tally), Fulfilment::as_expected)
        << info(property).name << ": " << print(*expected) << "; holds " << tally.count(Verdict::holds) << ", violated "
        << tally.count(Verdict::violated) << ", undecided " << tally.count(Verdict::undecided) << "; picklock run "
        << GetParam() << " --seeds 1.." << kSeeds;
  }
}

TEST(VerdictProfiles, AreOfTheScenariosThatThereAre) {
  if (rewriting()) {
    VerdictProfiles now;
    for (const std::string& name : library_names())
      now[name] = verdict_profile(campaign(library_scenario(name), {1, kProfileSeeds}));
    std::ofstream(kProfiles) << write_verdict_profiles(now);
    GTEST_SKIP() << "rewrote " << kProfiles;
  }
  std::vector<std::string> profiled;
  for (const auto& [name, profile] : read_verdict_profiles(file_content(kProfiles))) profiled.push_back(name);
  EXPECT_EQ(profiled, library_names());
}

TEST(VerdictProfiles, SurviveBeingWritten) {
  const VerdictProfiles two = {{"a", "violated 1 holds 2 double-grant"}, {"b/c", "everything holds"}};
  EXPECT_EQ(read_verdict_profiles(write_verdict_profiles(two)), two);
}

// Every property with every outcome of two runs, beside others that hold: no two lines are the same.
TEST(VerdictProfiles, TellEveryChangeOfAVerdict) {
  CampaignResult calm;
  for (const PropertyInfo& p : properties()) {
    PropertySummary& s = calm.properties.emplace_back();
    s.property = p.property;
    s.tally.counts[static_cast<std::size_t>(Verdict::holds)] = 2;
  }
  for (std::size_t changed = 0; changed < calm.properties.size(); ++changed) {
    std::set<std::string> lines;
    std::size_t outcomes = 0;
    for (std::size_t a = 0; a < kVerdictCount; ++a) {
      for (std::size_t b = a; b < kVerdictCount; ++b) {
        CampaignResult result = calm;
        Tally& tally = result.properties[changed].tally;
        tally.counts = {};
        ++tally.counts[a];
        ++tally.counts[b];
        lines.insert(verdict_profile(result));
        ++outcomes;
      }
    }
    CampaignResult without = calm;
    without.properties.erase(without.properties.begin() + static_cast<std::ptrdiff_t>(changed));
    lines.insert(verdict_profile(without));
    EXPECT_EQ(lines.size(), outcomes + 1) << info(calm.properties[changed].property).name;
  }
}

// All that the project offers is put to use by its own library, or is named here with a reason.
TEST(LibraryCoverage, EveryLockIsUsed) {
  std::set<std::string> used;
  for (const std::string& name : library_names()) used.insert(library_scenario(name).lock.name);
  for (const LockKind& k : lock_kinds()) {
    if (k.name == "getset-timestamp" || used.count(std::string(k.name)) != 0) continue;
    ADD_FAILURE() << k.name << " is in no scenario";
  }
}

// What the assumptions are assessed by.
TEST(LibraryExecuted, AFailoverIsCountedAndBreaksNoFailovers) {
  const auto lost = runner_of(library_scenario("failover_loses_the_lock")),
             calm = runner_of(library_scenario("healthy_control"));
  EXPECT_EQ(lost->run(1).executed.failovers, 1);
  const auto broken = [](const Assessment& a) { return a.assumption.kind == AssumptionKind::no_failovers && !a.met; };
  EXPECT_TRUE(std::ranges::any_of(lost->run(1).assumptions, broken));
  EXPECT_EQ(calm->run(1).executed.failovers, 0);
}

// A failover, or a master that must follow its successor, takes acknowledged writes with it.
TEST(LibraryExecuted, WhatAFailoverLosesBreaksNoDataLoss) {
  const auto losses = [](const char* scenario) {
    return runner_of(library_scenario(scenario))->run(1).executed.data_losses;
  };
  for (const char* const lost : {"failover_loses_the_lock", "cluster_failover_loses_the_lock",
                                 "failover_revives_a_released_lock", "restart_without_fsync"}) {
    EXPECT_GT(losses(lost), 0) << lost;
  }
  for (const char* const kept :
       {"failover_loses_the_lock/after_kill", "failover_loses_the_lock/with_wait", "paused_holder"}) {
    EXPECT_EQ(losses(kept), 0) << kept;
  }
}

// With a bound of a whole lease these runs would break a claim within all assumptions.
TEST(LibraryExecuted, SlowMessagesBreakWhatALockAssumesThatAsksInTurn) {
  for (const char* const scenario : {"redlock_asked_in_turn", "redlock_asked_in_turn/first_implementation"}) {
    const auto runner = runner_of(library_scenario(scenario));
    const RunResult& r = runner->run(1);
    EXPECT_EQ(of(r.findings, Property::mutual_exclusion).verdict, Verdict::violated) << scenario;
    for (const Assessment& a : r.assumptions) {
      const bool decides =
          a.assumption.kind == AssumptionKind::delays_shorter_than && concerns(a, Property::mutual_exclusion);
      EXPECT_EQ(a.met, !decides) << scenario << ": " << print(a);
    }
  }
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
                      Twin{Property::double_grant, "restart_without_fsync", "restart_without_fsync/with_fsync"},
                      Twin{Property::lost_update, "paused_holder", "paused_holder/fenced"},
                      Twin{Property::stale_write, "paused_holder", "paused_holder/fenced"},
                      Twin{Property::wrong_release, "delete_of_anothers_lock", "healthy_control"},
                      Twin{Property::unreleased, "go_unlock_before_del", "go_unlock_before_del/waits_for_del"},
                      Twin{Property::wrong_renewal, "getset_renewal_frees_another", "renewal_honouring_deadline"},
                      Twin{Property::never_free_again, "crash_between_setnx_and_expire", "zombie_command"},
                      Twin{Property::starvation, "server_clock_step_back", "healthy_control"},
                      Twin{Property::orphaned, "handmade_watchdog_never_stops", "healthy_control"},
                      Twin{Property::unserved, "redisson_missed_message", "redisson_missed_message/message_kept"},
                      Twin{Property::sold_twice, "seats_as_written", "seats_as_written/repaired"}),
    [](const auto& instance) {
      std::string name(picklock::info(instance.param.property).name);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_P(Twins, TheBrokenOneIsCaughtAndTheSoundOneIsNot) {
  const auto tally = [&](const std::string& scenario) {
    for (const PropertySummary& s : campaign(library_scenario(scenario), {1, 100}).properties) {
      if (s.property == GetParam().property) return s.tally;
    }
    return Tally{};
  };
  EXPECT_EQ(tally(GetParam().broken).count(Verdict::violated), 100u);
  const Tally sound = tally(GetParam().sound);
  EXPECT_EQ(sound.count(Verdict::violated), 0u);
  EXPECT_EQ(sound.count(Verdict::holds), 100u);
}

// --- a draw depends on its name alone

std::map<std::string, std::int64_t> draws_of(Runner& runner, std::uint64_t seed) {
  runner.run(seed, {.draws = true});
  std::map<std::string, std::int64_t> all;
  for (const RecordedDraw& d : runner.record().draws) all[d.name] = d.value;
  return all;
}

TEST(Draws, DeletingAFaultLeavesUnrelatedDrawsAsTheyWere) {
  const Scenario with = library_scenario("paused_holder");
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
  Scenario scenario = library_scenario("paused_holder");
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
  Scenario scenario = library_scenario("healthy_control");
  const auto plain = runner_of(scenario);
  plain->run(5, {.draws = true});
  const std::vector<RecordedDraw>& before = plain->record().draws;
  scenario.reseeds = {{milliseconds(60), 99}};
  const auto reseeded = runner_of(scenario);
  reseeded->run(5, {.draws = true});
  const std::vector<RecordedDraw>& after = reseeded->record().draws;
  std::size_t same = 0;
  for (; same < std::min(before.size(), after.size()); ++same) {
    if (before[same].value != after[same].value) break;
  }
  ASSERT_LT(same, after.size()) << "nothing was drawn anew";
  EXPECT_GE(after[same].time, TrueTime{} + milliseconds(60));
}

// A recipe of several instants: each keeps what came before it, and the order in which they are said is no matter.
TEST(Draws, RecipesBranchOffAtEachInstant) {
  Scenario scenario = library_scenario("healthy_control");
  const auto digest_of = [&](std::vector<Reseed> recipe) {
    scenario.reseeds = std::move(recipe);
    return runner_of(scenario)->run(5).digest;
  };
  const Reseed early{milliseconds(60), 99}, late{milliseconds(90), 7};
  const std::uint64_t both = digest_of({early, late});
  EXPECT_EQ(both, digest_of({late, early}));
  const std::set<std::uint64_t> all = {digest_of({}), digest_of({early}), digest_of({late}), both};
  EXPECT_EQ(all.size(), 4u);
}

}  // namespace
}  // namespace picklock
