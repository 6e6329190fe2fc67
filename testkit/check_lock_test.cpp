#include "testkit/check_lock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "campaigns/regress.hpp"
#include "checker/properties/properties.hpp"
#include "scenarios/file/library.hpp"
#include "testkit/environment.hpp"
#include "testkit/gtest.hpp"
#include "testkit/rapidcheck.hpp"
#include "tests/twin_locks.hpp"

namespace picklock {
namespace check_lock_test {

namespace fs = std::filesystem;

struct Folder {
  std::string path = std::string(PICKLOCK_BUILD_DIR) + "/picklock_check_lock_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name();
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

CheckOptions with(std::uint64_t effort, const std::string& folder = "") {
  CheckOptions options;
  options.seed = 1;
  options.effort = effort;
  options.keep = folder;
  return options;
}

TEST(CheckLock, LocksOfEveryServiceKeepTheirClaims) {
  for (const char* lock : {"set-nx-px", "redlock", "redisson-lock", "zookeeper-lock", "curator-mutex", "etcd-mutex"})
    EXPECT_TRUE(keeps_its_claims(lock, with(200)));
}

TEST(CheckLock, TheReportSaysWhatWasTested) {
  const LockReport report = check_lock("set-nx-px", with(200));
  EXPECT_EQ(report.tested.runs, 200u);
  EXPECT_GT(report.tested.all, 60u);
  EXPECT_GT(report.tested.faults.at("pause"), 10u);
  const std::string text = report.text();
  for (const char* words : {"set-nx-px kept its claims\n  tested: 200 scenarios from seed 1: ", " with contention, ",
                            "faults that struck: ", "pauses-shorter-than up to ", " of 600.0 ms"}) {
    EXPECT_NE(text.find(words), text.npos) << words << "\n" << text;
  }
  std::map<Property, Tested::Claimed> claims;
  for (const Tested::Claimed& c : report.tested.claims) claims[c.property] = c;
  for (const Property p :
       {Property::mutual_exclusion, Property::never_free_again, Property::starvation, Property::lost_wake_up}) {
    EXPECT_GT(claims[p].faulty, 40u) << info(p).name << "\n" << text;
    EXPECT_GT(claims[p].runs, claims[p].faulty + 20) << info(p).name;
  }
  EXPECT_FALSE(claims.contains(Property::overtaking)) << "it is not claimed";
  EXPECT_EQ(check_lock("set-nx-px", with(200)).text(), text) << "the same every time";
  CheckOptions other = with(200);
  other.seed = 1000;
  EXPECT_NE(check_lock("set-nx-px", other).text(), text);
}

struct Broken {
  const char* lock;
  Property property;
};

TEST(CheckLock, FindsWhatEachBrokenTwinBreaks) {
  add_twin_locks();
  const Folder folder;
  for (const auto& [lock, property] :
       {Broken{"twin-clears-the-way", Property::double_grant},
        Broken{"twin-renews-in-passing", Property::wrong_renewal}, Broken{"twin-forgets-the-key", Property::unreleased},
        Broken{"twin-unfair", Property::overtaking}, Broken{"twin-random-token", Property::fencing_monotonicity}}) {
    const LockReport report = check_lock(lock, with(2'000, folder.path));
    ASSERT_TRUE(report.broken) << report;
    const BrokenClaim& broken = *report.broken;
    EXPECT_FALSE(report);
    EXPECT_EQ(broken.property, property) << report;
    EXPECT_TRUE(broken.scenario.lock == scenario_of_lock(lock).lock) << "its options stay as they are";
    EXPECT_LE(broken.scenario.clients.size(), 3u);
    EXPECT_NE(report.text().find("  again:  picklock run " + folder.path), std::string::npos) << report;

    const ScenarioFile file = load_scenario(broken.file);
    ASSERT_TRUE(file.ok()) << print(file.errors[0]);
    EXPECT_EQ(file.seed, broken.seed);
    EXPECT_EQ(regress(file).verdict, Regressed::still_fails) << broken.file;
  }
}

// Mistakes that only long sections, long pauses, lost answers and heeded deadlines bring out, by one call without options.
TEST(CheckLock, ItsDefaultEffortFindsWhatRenewingLocksDoWrong) {
  add_renewing_twins();
  CheckOptions usual;
  usual.keep.clear();
  const LockReport right = check_lock("twin-renewing", usual);
  EXPECT_TRUE(right) << right;
  for (const Tested::Claimed& c : right.tested.claims) EXPECT_GT(c.runs, 0u) << info(c.property).name << "\n" << right;
  EXPECT_GT(right.tested.heeded, 20u) << right;
  for (const auto& [lock, property] :
       {Broken{"twin-renews-any", Property::wrong_renewal}, Broken{"twin-deletes-any", Property::wrong_release},
        Broken{"twin-counts-from-the-answer", Property::mutual_exclusion},
        Broken{"twin-unknown-is-a-grant", Property::mutual_exclusion},
        Broken{"twin-repeats-tokens", Property::fencing_monotonicity},
        Broken{"twin-renews-late", Property::mutual_exclusion}}) {
    const LockReport report = check_lock(lock, usual);
    ASSERT_TRUE(report.broken) << report;
    const bool also_lets_two_in = property == Property::wrong_release;
    if (!also_lets_two_in) {
      EXPECT_EQ(report.broken->property, property) << report;
    }
  }
}

TEST(CheckLock, AClaimThatNoRunCouldBreakIsNotTested) {
  LockKind never = *find_lock_kind("set-nx-px");
  never.name = "set-nx-px-that-claims-tokens";
  never.claims.token = true;
  ASSERT_TRUE(add_lock_kind(never));
  const LockReport report = check_lock(never.name, with(100));
  EXPECT_EQ(report.verdict, CheckVerdict::not_tested) << report;
  EXPECT_NE(report.text().find("no run could have broken fencing-monotonicity"), std::string::npos) << report;
}

// Its waiters sleep until a message comes; the message of a holder that died does not.  The lock itself claims no more.
TEST(CheckLock, FindsAWaiterThatOnlyFaultsForget) {
  LockKind boastful = *find_lock_kind("redisson-1-2-lock-lease");
  boastful.name = "redisson-1-2-lock-lease-that-serves-its-waiters";
  boastful.claims.serves_waiters = true;
  ASSERT_TRUE(add_lock_kind(boastful));
  CheckOptions options = with(1'500);
  options.seed = 200;
  const LockReport report = check_lock(std::string(boastful.name), options);
  ASSERT_TRUE(report.broken) << report;
  EXPECT_EQ(report.broken->property, Property::lost_wake_up) << report;
  EXPECT_FALSE(report.broken->scenario.faults.empty());
}

CheckOptions only(std::uint64_t seed) {
  CheckOptions options = with(2);
  options.seed = seed - 1;  // the first of every four has no faults
  return options;
}

// A client died with the semaphore's inner mutex, which its session keeps for longer than the run lasts.
TEST(CheckLock, AWaiterOfADeadClientHasTheTimeOfItsSession) {
  const LockReport report = check_lock("curator-semaphore-mutex", only(1575));
  EXPECT_FALSE(report.broken) << report;
  EXPECT_GT(report.tested.faults.count("kill"), 0u) << report;
}

// A waiter died, and the queue waits for it for 300 s.
TEST(CheckLock, AQueueThatWaitsForTheDeadIsNotJudgedBefore) {
  const LockReport report = check_lock("redisson-fair-lock", only(154));
  EXPECT_FALSE(report.broken) << report;
  EXPECT_GT(report.tested.faults.count("power-loss"), 0u) << report;
}

// A queue that is never empty loses its order when that time is over.
TEST(CheckLock, AQueueThatGivesUpItsClientsIsNotFairForLonger) {
  CheckOptions options = only(632);
  for (const char* wait : {"lock.fair-wait=600ms", "lock.fair-wait=60s"}) {
    options.set = {wait};
    const LockReport report = check_lock("redisson-fair-lock", options);
    EXPECT_FALSE(report.broken) << report;
    const auto& claims = report.tested.claims;
    const bool fair = std::any_of(claims.begin(), claims.end(), [](const Tested::Claimed& c) {
      return c.property == Property::overtaking && c.runs > 0;
    });
    EXPECT_EQ(fair, options.set[0] != "lock.fair-wait=600ms") << report;
  }
}

TEST(CheckLock, FairnessIsJudgedUnderFaults) {
  const LockReport report = check_lock("curator-mutex", with(200));
  ASSERT_TRUE(report) << report;
  std::uint64_t judged = 0;
  for (const Tested::Claimed& c : report.tested.claims) judged += c.property == Property::overtaking ? c.faulty : 0;
  EXPECT_GT(judged, 40u) << report;
}

TEST(CheckLock, AFailureIsToldAlsoWhereNothingCanBeWritten) {
  add_twin_locks();
  const LockReport report = check_lock("twin-clears-the-way", with(2'000, "/dev/null/kept"));
  EXPECT_EQ(report.verdict, CheckVerdict::broken);
  EXPECT_NE(report.text().find("(not kept: "), std::string::npos) << report;
}

TEST(CheckLock, NothingTestedIsNoPass) {
  const LockReport none = check_lock("set-nx-px", with(0));
  EXPECT_EQ(none.verdict, CheckVerdict::not_tested);
  EXPECT_FALSE(none);
  CheckOptions alone = with(40);
  alone.set = {"event-budget=10"};
  EXPECT_EQ(check_lock("set-nx-px", alone).verdict, CheckVerdict::not_tested);
  EXPECT_FALSE(keeps_its_claims("set-nx-px", alone));
}

TEST(CheckLock, SettingsAreOfTheLockAndWrongOnesAreErrors) {
  EXPECT_EQ(scenario_of_lock("set-nx-px").lock.options, scenario_of_lock("set-nx-px", {"lock.ttl=600ms"}).lock.options);
  EXPECT_FALSE(scenario_of_lock("set-nx-px").lock.options ==
               scenario_of_lock("set-nx-px", {"lock.ttl=5s"}).lock.options);
  EXPECT_THROW(scenario_of_lock("set-nx-px", {"lock.tll=5s"}), std::runtime_error);
  EXPECT_THROW(check_lock("no-such-lock"), std::runtime_error);
}

TEST(CheckLock, SeedAndEffortComeFromTheEnvironmentUnlessTheTestSaysThem) {
  ::setenv("PICKLOCK_SEED", "77", 1);
  ::setenv("PICKLOCK_EFFORT", "12", 1);
  CheckOptions options;
  options.keep.clear();
  const LockReport report = check_lock("set-nx-px", options);
  EXPECT_EQ(report.seed, 77u);
  EXPECT_EQ(report.tested.runs, 12u);
  EXPECT_EQ(check_lock("set-nx-px", with(5)).tested.runs, 5u);
  ::setenv("PICKLOCK_EFFORT", "12 or more", 1);
  EXPECT_THROW(effort_of_environment(), std::runtime_error);
  ::unsetenv("PICKLOCK_SEED");
  ::unsetenv("PICKLOCK_EFFORT");
  EXPECT_FALSE(seed_of_environment());
}

TEST(CheckLock, IsAPropertyForRapidCheckToo) {
  EXPECT_TRUE(rc::check("set-nx-px keeps its claims", claims_of("set-nx-px")));
}

}  // namespace check_lock_test
}  // namespace picklock
