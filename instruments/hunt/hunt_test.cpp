#include "instruments/hunt/hunt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "faults/fault_kinds.hpp"
#include "instruments/hunt/hunt_lab.hpp"
#include "instruments/hunt/kept.hpp"
#include "instruments/hunt/search_mutants_lab.hpp"
#include "instruments/hunt/text.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

TEST(Hunt, FindsDistinctFailuresOfALease) {
  const HuntSpace space = space_of("paused_holder");
  const HuntResult result = hunt(space, few_plans(256));
  EXPECT_EQ(result.plans, 256u);
  EXPECT_GT(result.findings.size(), 5u);
  EXPECT_TRUE(result.errors.empty());
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(result.findings[i].cause, result.findings[j].cause);
  }
  const auto pause = [](const HuntFinding& f) {
    return f.cause.faults == std::vector<std::string>{"pause of a client"};
  };
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), pause));
}

TEST(Hunt, IsTheSameForAnyNumberOfThreads) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(200);
  const std::string one = hunt_json(hunt(space, options), space, options, "x");
  options.jobs = 3;
  EXPECT_EQ(hunt_json(hunt(space, options), space, options, "x"), one);
}

TEST(Hunt, FindsNothingInALockWithinItsAssumptions) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  options.aim.within_assumptions = true;
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.findings.empty()) << hunt_text(result, space, options, "paused_holder");
  EXPECT_LT(result.idle + result.alone, result.plans);
}

// A dead server serves none who wait: that refutes no lock.  (What a lost release leaves behind at a session does.)
TEST(Hunt, OfThoseWhoWaitFindsNothingWhereServersStayDead) {
  for (const char* const lock : {"set-nx-px", "etcd-mutex", "curator-leader-latch"}) {
    HuntSpace space = space_of("healthy_control");
    space.base.lock = {};
    space.base.lock.name = lock;
    space.base.expect.clear();
    space.faults = fault_space_of(space.base);
    HuntOptions options = few_plans(2'000);
    options.aim.properties = {Property::lost_wake_up};
    if (space.base.lock.name == "set-nx-px") options.aim.properties.push_back(Property::never_free_again);
    options.aim.within_assumptions = true;
    space.kinds = {"kill", "power-loss"};
    const HuntResult result = hunt(space, options);
    EXPECT_TRUE(result.findings.empty()) << hunt_text(result, space, options, lock);
    EXPECT_GT(result.plans - result.idle, 500u) << lock;
  }
}

TEST(Hunt, BreaksOnlyTheAssumptionThatMayBeBroken) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(2'000);
  options.aim.beyond = AssumptionKind::beliefs_shorter_than;
  const HuntResult result = hunt(space, options);
  ASSERT_FALSE(result.findings.empty());
  for (const HuntFinding& f : result.findings) {
    EXPECT_EQ(f.cause.failure.broken, std::vector{AssumptionKind::beliefs_shorter_than});
  }
  options.aim.beyond = AssumptionKind::clock_rates_within;
  const HuntResult drift = hunt(space, options);
  ASSERT_FALSE(drift.findings.empty());
  for (const HuntFinding& f : drift.findings) {
    std::vector<AssumptionKind> broken = f.cause.failure.broken;
    std::erase(broken, AssumptionKind::beliefs_shorter_than);  // most other assumptions entail this one
    EXPECT_EQ(broken, std::vector{AssumptionKind::clock_rates_within});
  }
}

TEST(Hunt, TellsALockFromItsRepairedTwin) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  options.aim.properties = {Property::lost_update};
  options.aim.twin = Aim::Twin{"paused_holder/fenced", library("paused_holder/fenced")};
  const HuntResult result = hunt(space, options);
  ASSERT_FALSE(result.findings.empty());
  for (const HuntFinding& f : result.findings) {
    const Scenario twin = twin_of(f.shrunk.scenario, space.base, options.aim.twin->scenario);
    auto runner = std::get<0>(Runner::compile(twin));
    EXPECT_EQ(of(runner->run(f.shrunk.seed).findings, Property::lost_update).verdict, Verdict::holds);
  }
}

TEST(Hunt, RefusesATwinThatDiffersInItsClients) {
  Scenario base = library("paused_holder");
  EXPECT_NE(no_twin(base, base), "");
  Scenario other = base;
  ASSERT_FALSE(set_in_scenario(other, "clients.a.hold=1ms"));
  EXPECT_NE(no_twin(base, other), "");
  EXPECT_EQ(no_twin(base, library("paused_holder/fenced")), "");
}

TEST(Hunt, KeepsInstantsAndEventsWithinTheirBounds) {
  HuntSpace space = space_of("paused_holder");
  space.instants = Law::uniform(milliseconds(5), milliseconds(20));
  space.faults.marks = {"enters"};
  HuntOptions options = few_plans(400);
  options.shrink.keep_triggers = true;
  const HuntResult result = hunt(space, options);
  EXPECT_GT(result.findings.size(), 2u);
  for (const HuntFinding& f : result.findings) {
    for (const Fault& fault : f.shrunk.scenario.faults) {
      if (!fault.trigger.on.empty()) {
        EXPECT_TRUE(fault.trigger.on.ends_with(" enters")) << fault.trigger.on;
      } else {
        ASSERT_TRUE(fault.trigger.at) << fault.kind;
        EXPECT_GE(fault.trigger.at->low(), milliseconds(5).ns);
        EXPECT_LE(fault.trigger.at->high(), milliseconds(20).ns);
      }
    }
  }
}

// Every kind that is said to break an assumption is one that there is, and plans beyond it break it often enough to find something.
TEST(Hunt, FindsWhatOneAssumptionAloneKeepsOut) {
  for (const AssumptionInfo& a : assumptions()) {
    for (const std::string& kind : kinds_that_break(a.kind)) EXPECT_NE(find_fault_kind(kind), nullptr) << kind;
  }
  const HuntSpace space = space_of("paused_holder");
  for (const AssumptionKind beyond : {AssumptionKind::pauses_shorter_than, AssumptionKind::no_data_loss}) {
    HuntOptions options = few_plans(512);
    options.aim.beyond = beyond;
    options.shrink.most_tries = 0;
    EXPECT_GE(hunt(space, options).findings.size(), 3u) << info(beyond).name;
  }
}

TEST(Hunt, SaysThatItTestedLittle) {
  HuntSpace space = space_of("paused_holder");
  space.base.clients.resize(1);  // leaves no second client to contend with
  space.faults = fault_space_of(space.base);
  const HuntOptions options = few_plans(64);
  const HuntResult result = hunt(space, options);
  EXPECT_FALSE(result.tested_much());
  EXPECT_NE(hunt_text(result, space, options, "x").find("tested little"), std::string::npos);
}

TEST(Hunt, EndsWhenItIsStopped) {
  const HuntSpace space = space_of("paused_holder");
  std::atomic<bool> stop{false};
  HuntOptions options = few_plans(100'000);
  options.most_findings = 1'000;
  options.stop = &stop;
  options.progress = [&](const HuntResult&) { stop = true; };
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.findings.empty());
  EXPECT_LT(result.plans, 1'000u);
}

TEST(Hunt, KeepsAFindingBeforeAnybodyIsToldOfIt) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  std::size_t kept = 0;
  options.keep = [&](HuntFinding&) { ++kept; };
  options.progress = [&](const HuntResult& r) { EXPECT_EQ(r.findings.size(), kept); };
  EXPECT_EQ(hunt(space, options).findings.size(), kept);
}

TEST(Kept, ReadsBackAndFailsAgain) {
  const HuntSpace space = space_of("paused_holder");
  const HuntResult result = hunt(space, few_plans(128));
  ASSERT_FALSE(result.findings.empty());
  for (const HuntFinding& f : result.findings) {
    const KeptRun kept = kept_run(f.shrunk.scenario, f.shrunk.seed, kept_as(f, "paused_holder"));
    const ScenarioFile file = read_scenario(kept.text, "finding.toml");
    ASSERT_TRUE(file.ok()) << kept.text;
    EXPECT_NE(file.scenario.description.find("A hunt around paused_holder found it."), std::string::npos) << kept.text;
    auto runner = std::get<0>(Runner::compile(file.scenario));
    EXPECT_EQ(of(runner->run(f.shrunk.seed).findings, f.cause.failure.property).verdict, Verdict::violated);
  }
}

// --- the server event that ended the right

RightEnd right_end_in(const std::string& name, Property property) {
  const Scenario scenario = library(name);
  auto runner = std::get<0>(Runner::compile(scenario));
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    const RunResult& result = runner->run(seed);
    if (of(result.findings, property).verdict != Verdict::violated) continue;
    const RightEnd end = right_end(of(result.findings, property), *result.history);
    EXPECT_EQ(end.how, how_right_ended(of(result.findings, property), *result.history));
    return end;
  }
  ADD_FAILURE() << name << " violates nothing";
  return {};
}

TEST(RightEnd, IsTheServerEvent) {
  const auto me = Property::mutual_exclusion;
  const RightEnd expired = right_end_in("paused_holder", me);
  EXPECT_EQ(expired.how, "expired");
  EXPECT_NE(expired.told.find("has run out, by the clock of redis"), std::string::npos) << expired.told;
  EXPECT_EQ(right_end_in("restart_without_fsync", me).how, "lost");
  EXPECT_EQ(right_end_in("failover_loses_the_lock", me).how, "not-replicated");
  EXPECT_EQ(right_end_in("zookeeper_partitioned_holder", me).how, "session-over");
  EXPECT_EQ(right_end_in("etcd_partitioned_holder", me).how, "lease-over");
  EXPECT_EQ(right_end_in("etcd_unlock_by_name", me).how, "deleted");
  EXPECT_EQ(right_end_in("etcd_shared_session", me).how, "stands");
  EXPECT_EQ(right_end_in("deadlock_opposite_order", Property::starvation).how, "") << "it is not about a right";
}

TEST(Failure, IsTheSameOnlyIfEverythingThatTellsItApartIs) {
  const Failure f{Property::mutual_exclusion, "l", "two clients", "expired", {AssumptionKind::no_kills}};
  Failure less = f;
  less.broken.clear();
  EXPECT_TRUE(same_failure(f, less));
  EXPECT_FALSE(same_failure(less, f)) << "it breaks an assumption that was kept";
  const auto differs = [&](auto change) {
    Failure other = f;
    change(other);
    return !same_failure(f, other) && other != f;
  };
  EXPECT_TRUE(differs([](Failure& o) { o.property = Property::lost_update; }));
  EXPECT_TRUE(differs([](Failure& o) { o.lock = "m"; }));
  EXPECT_TRUE(differs([](Failure& o) { o.parties = "one client"; }));
  EXPECT_TRUE(differs([](Failure& o) { o.right_end = "lost"; }));
}

// A right that the same faults end in two ways gives two findings.
TEST(Hunt, TellsFindingsApartByTheEndOfTheRight) {
  const HuntSpace space = space_of("paused_holder");
  const HuntResult result = hunt(space, few_plans(256));
  std::set<std::string> ends;
  for (const HuntFinding& f : result.findings) {
    ends.insert(f.cause.failure.right_end);
    EXPECT_EQ(f.right_end.how, f.cause.failure.right_end);
    EXPECT_FALSE(f.right_end.told.empty());
  }
  EXPECT_EQ(ends.count("lost"), 1u);
  EXPECT_EQ(ends.count("expired"), 1u);
}

// --- mutants of the search (scripts/zoo-mutants tries all of them)

struct Mutant {
  SearchMutant mutant;
  DefectOfZoo defect;
};

// Only the scenario's kinds of faults and events are drawn, so nothing stands in for what is forgotten.
TEST(SearchMutants, MissDefectsThatTheSoundSearchFinds) {
  const DefectOfZoo nested{"redisson_1_2_nested_unlock", "redisson_1_2_nested_unlock/by_script",
                           Property::never_free_again};
  const DefectOfZoo late{"redisson_1_2_unlock_after_the_lease", "redisson_1_2_unlock_after_the_lease/by_script",
                         Property::mutual_exclusion};
  const DefectOfZoo reader{"redisson_dead_reader_renewed", "redisson_dead_reader_renewed/forgotten",
                           Property::wrong_renewal};
  constexpr std::uint64_t kPlans = 1500;
  for (const Mutant& m :
       {Mutant{forgets_kind("kill"), nested}, Mutant{forgets_kind("pause"), late}, Mutant{forgets_mark("set"), nested},
        Mutant{forgets_events(), nested}, Mutant{forgets_client("a"), reader}}) {
    PlansOfDefect plans(m.defect, scripted_space(m.defect), 1);
    EXPECT_LE(plans.until_found(sound_search(), kPlans), kPlans) << m.defect.scenario;
    EXPECT_GT(plans.until_found(m.mutant, kPlans), kPlans) << m.mutant.name << ", " << m.defect.scenario;
  }
}

TEST(SearchMutants, AreHuntedWithTheFaultsAndEventsOfTheScenario) {
  const HuntSpace space = scripted_space({"redisson_1_2_nested_unlock", {}, {}});
  EXPECT_EQ(space.kinds, std::vector<std::string>{"kill"});
  EXPECT_EQ(space.faults.marks, std::vector<std::string>{"set"});
}

// Whatever a mutant forgets, it plays the plans of the sound search.
TEST(SearchMutants, DifferFromTheSoundSearchInWhatTheyForgetAlone) {
  const DefectOfZoo nested{"redisson_1_2_nested_unlock", "redisson_1_2_nested_unlock/by_script",
                           Property::never_free_again};
  PlansOfDefect plans(nested, scripted_space(nested), 1);
  constexpr std::uint64_t kPlans = 1500;
  const std::uint64_t found = plans.until_found(sound_search(), kPlans);
  ASSERT_LE(found, kPlans);
  EXPECT_EQ(plans.until_found({"what no plan has", [](const Fault& f) { return f.kind == "none"; }}, kPlans), found);
  EXPECT_GT(plans.until_found({"all", [](const Fault&) { return true; }}, kPlans), kPlans);
}

}  // namespace
}  // namespace picklock
