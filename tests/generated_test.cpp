// Every lock against scenarios that nobody wrote: safe without faults, safe within its assumptions,
// and the checker's properties against locks with a deliberate mistake.
//
// Seeds are fixed.  scripts/soak draws PICKLOCK_RUNS scenarios for each test, from the seed PICKLOCK_FIRST_SEED on.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"
#include "scenarios/file/server_deaths.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/generators/scenario.hpp"
#include "scenarios/generators/tame.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/measure.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/services/etcd/etcd_spec.hpp"
#include "scenarios/services/zookeeper/zookeeper_spec.hpp"
#include "scenarios/workloads/lock_plan.hpp"
#include "tests/twin_locks.hpp"

namespace picklock {
namespace {

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Gives the durations that a lock's assumptions are bounded by small values, so that runs are short.
class ShortLease {
 public:
  explicit ShortLease(const LockKind& kind) : kind_(kind) {}
  void operator()(const FieldInfo& f, Duration& v) {
    for (const AssumptionOf& a : kind_.assumptions) {
      if (a.parameter != f.name) continue;
      v = f.name == "margin" ? milliseconds(60) : std::max(milliseconds(600), Duration{f.least});
    }
    if (f.name == "fair-wait") v = milliseconds(600);  // of a dead waiter, for whom all others wait
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    for (const AssumptionOf& a : kind_.assumptions) {
      if (v && a.parameter == f.name) v = std::max(milliseconds(600), Duration{f.least});
    }
  }

 private:
  const LockKind& kind_;
};

Scenario base_of(const LockKind& kind) {
  Scenario s;
  s.name = "generated";
  s.lock.name = kind.name;
  s.lock.options = AnyOptions(kind.default_options());
  ShortLease lease(kind);
  visit_fields(s.lock.options, lease);
  s.clients.resize(2);
  s.clients[0].name = "a";
  s.clients[1].name = "b";
  s.phases.load = seconds(3);
  s.phases.settle =
      seconds(kind.service == "zookeeper" ? 2 : 1);  // its clients pause for a second before they connect again
  s.request_timeout = milliseconds(200);             // a standstill is one after two of these
  s.event_budget = 200'000;
  // Whose own times allow a short lease, and a new leader within the run.
  s.services.of<ZooKeeperSpec>().server.tick = milliseconds(100);
  s.services.of<EtcdSpec>().server.heartbeat = milliseconds(20);
  s.services.of<EtcdSpec>().server.election = milliseconds(200);
  // A watch at a machine that went dark ends by pings alone (etcd_watch_on_a_dead_machine).
  s.services.of<EtcdSpec>().client.dial_keep_alive_time = seconds(10);
  s.services.of<EtcdSpec>().client.dial_keep_alive_timeout = milliseconds(500);
  return s;
}

// What a run that breaks a promise shows: enough to run it again by hand.
std::string told(const Scenario& s, const RunResult& r, Property property) {
  const Finding& v = of(r.findings, property);
  std::string text = fmt::format("{}: {}\nseed {}, scenario:\n{}", info(property).name,
                                 explain(v, *r.history, r.judged_with), r.seed, write_scenario(s));
  for (const Assessment& a : r.assumptions) text += fmt::format("# {}\n", print(a));
  return text;
}

struct Counts {
  std::uint64_t runs = 0, contended = 0, within = 0, injected = 0, within_contended_struck = 0;
};

// What a waiter may expect of a lock.
constexpr Property kOfWaiters[] = {Property::never_free_again, Property::starvation, Property::lost_wake_up,
                                   Property::orphaned, Property::unserved};

// Ends the run before the time is over that a client may have to wait?
bool ends_too_soon(const RunResult& r) {
  return std::any_of(std::begin(kOfWaiters), std::end(kOfWaiters), [&](Property p) {
    const Finding& f = of(r.findings, p);
    return f.verdict == Verdict::undecided && f.reason == Reason::pending_at_end;
  });
}

bool has(const RunResult& r, Sometimes condition) { return (r.happened & bit(condition)) != 0; }

// Runs that broke one claim.
struct Broken {
  std::uint64_t runs = 0;
  std::string first;  // one of them, to be run again
};

class EveryLock : public testing::TestWithParam<std::string> {
 protected:
  const LockKind& kind() const { return *find_lock_kind(GetParam()); }
  // Draws scenarios and runs each, the first ones twice; `see` judges.
  template <class See>
  void campaign(const ScenarioBounds& bounds, std::uint64_t scenarios, See see) {
    constexpr std::uint64_t kTwice = 5;
    const auto gen = arbitrary_scenario(base_of(kind()), bounds);
    const std::uint64_t first = number_in("PICKLOCK_FIRST_SEED", 1);
    const std::uint64_t end = first + number_in("PICKLOCK_RUNS", scenarios);
    for (std::uint64_t i = first; i < end; ++i) {
      const Scenario s = gen(rc::Random(i), 100).value();
      auto compiled = Runner::compile(s);
      ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled)) << write_scenario(s);
      auto& runner = *std::get<std::unique_ptr<Runner>>(compiled);
      const RunResult& r = runner.run(i);
      if (i - first < kTwice) {
        const std::uint64_t digest = r.digest;
        ASSERT_EQ(runner.run(i).digest, digest) << write_scenario(s);
      }
      ASSERT_EQ(r.error, "") << write_scenario(s);
      see(s, r);
    }
    for (const auto& [property, broken] : broken_) {
      ADD_FAILURE() << info(property).name << " is broken in " << broken.runs << " runs; the first:\n" << broken.first;
    }
  }
  void judge(const Scenario& s, const RunResult& r, Property property) {
    if (of(r.findings, property).verdict != Verdict::violated || !all_met(r.assumptions, property)) return;
    Broken& broken = broken_[property];
    if (broken.runs++ == 0) broken.first = told(s, r, property);
  }
  // Whether what no client holds is free, and who waits is served, if the lock claims that and enough servers run.
  void judge_waiting(const Scenario& s, const RunResult& r) {
    if (!serves_waiters_in(s, r)) return;
    ++judged_for_waiters_;
    if (!ends_too_soon(r)) return judge_waiters(s, r);
    ++went_on_;
    Scenario longer = s;
    const JudgeOptions& o = r.judged_with;
    longer.phases.settle =
        seconds(1) + Duration{std::max({o.starvation_bound, o.wake_up_bound, o.orphan_bound, o.unserved_bound})};
    longer.event_budget *= 10;
    auto compiled = Runner::compile(longer);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled)) << write_scenario(longer);
    const RunResult& whole = std::get<std::unique_ptr<Runner>>(compiled)->run(r.seed);
    if (serves_waiters_in(longer, whole)) judge_waiters(longer, whole);
  }
  // Who takes two locks in opposite orders may wait in a circle, also behind those who only wait: that is the clients' doing.
  bool serves_waiters_in(const Scenario& s, const RunResult& r) const {
    const Claims& claims = kind().claims;
    const ExecutedFaults& faults = r.executed;
    const bool circle = of(r.findings, Property::deadlock).verdict == Verdict::violated || !takes_in_one_order(s);
    if (!serves_waiters(kind(), *s.lock.options) || circle || faults.servers_missing > 0) return false;
    if (servers_that_stay_dead(s) > spare_servers()) return false;
    const bool died = faults.kills + faults.power_losses > 0;
    if (died && !claims.frees_after_crash) return false;
    // A lost answer leaves a lock held for one lease, or as long as its session lives, or for ever.  A record is renewed by its
    // leader alone, who resigns without a word.
    const bool renewed_on = claims.renewing && kind().ownership != "etcd-record";
    return faults.unanswered_requests == 0 || (claims.frees_after_crash && !renewed_on);
  }
  // At least so many servers are not needed.
  std::size_t spare_servers() const {
    const std::uint32_t servers =
        kind().servers != nullptr ? kind().servers(*kind().default_options()) : kind().independent_servers;
    return kind().service == "redis" && servers <= 2 ? 0 : 1;
  }
  void judge_waiters(const Scenario& s, const RunResult& r) {
    for (const Property p : kOfWaiters) judge(s, r, p);
  }
  std::string waiters_told() const {
    return fmt::format("{} judged for waiters, {} of these until a waiter's time was over", judged_for_waiters_,
                       went_on_);
  }

 private:
  std::map<Property, Broken> broken_;
  std::uint64_t judged_for_waiters_ = 0, went_on_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Locks, EveryLock, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const LockKind& k : lock_kinds()) names.emplace_back(k.name);
                           return names;
                         }()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A lock's claims as a sequential model say: one holder at a time, everybody served whom nothing
// stands in the way of, tokens in order, every acknowledged addition there in the end.
TEST_P(EveryLock, KeepsItsClaimsWhenNothingGoesWrong) {
  Counts n;
  const ScenarioBounds calm{.mishaps = Mishaps::none,
                            .options = false,
                            .topology = false,
                            .operators = false,
                            .abandons = false,
                            .short_holds = true};
  campaign(calm, 24, [&](const Scenario& s, const RunResult& r) {
    ++n.runs;
    n.contended += has(r, Sometimes::contention);
    if (!within_assumptions(r)) return;  // who waits for a second lock holds the first for longer
    ++n.within;
    std::vector<Property> all = safety_claims(kind().claims);
    if (kind().claims.mutual_exclusion) all.push_back(Property::lost_update);
    for (const Property p : all) judge(s, r, p);
    judge_waiting(s, r);
  });
  fmt::print("{}: {} runs without faults, {} with contention, {} within the assumptions, {}\n", GetParam(), n.runs,
             n.contended, n.within, waiters_told());
  EXPECT_GT(n.within, n.runs / 2);
  EXPECT_GT(n.contended, n.runs / 4);
}

// Nobody walks away from an acquire here either: what that leaves behind the locks say of themselves.
TEST_P(EveryLock, IsSafeWithinItsAssumptions) {
  Counts n;
  const ScenarioBounds tame{
      .mishaps = Mishaps::within, .options = false, .operators = false, .abandons = false, .short_holds = true};
  campaign(tame, 120, [&](const Scenario& s, const RunResult& r) {
    const bool met = within_assumptions(r);
    const bool contended = has(r, Sometimes::contention), injected = has(r, Sometimes::fault_struck);
    ++n.runs;
    n.contended += contended;
    n.within += met;
    n.injected += injected;
    n.within_contended_struck += met && contended && injected;
    if (!met) return;
    for (const Property p : safety_claims(kind().claims)) judge(s, r, p);
    judge_waiting(s, r);
  });
  fmt::print("{}: {} runs, {} contended, {} injected, {} within the assumptions, {} all of these, {}\n", GetParam(),
             n.runs, n.contended, n.injected, n.within, n.within_contended_struck, waiters_told());
  EXPECT_GT(n.within_contended_struck, n.runs / 10) << "hardly anything was put to the test";
}

// --- releases: by a script that compares they end no other's hold, whatever happens

// A release that needs no assumption is drawn under any faults: pauses beyond leases, failovers, servers that forget.
constexpr ScenarioBounds kAnythingForReleases{.mishaps = Mishaps::within,
                                              .options = false,
                                              .operators = false,
                                              .plan = {.least = 2, .most = 6, .swarm = false},
                                              .short_holds = true,
                                              .claim = ClaimGroup::releases,
                                              .long_sections = true};

bool servers_forgot(const RunResult& r) { return r.executed.failovers + r.executed.data_losses > 0; }

TEST_P(EveryLock, EndsNoOthersHold) {
  if (!kind().claims.releases_only_own) GTEST_SKIP() << "it does not claim that";
  std::uint64_t judged = 0, forgot = 0;
  campaign(kAnythingForReleases, 60, [&](const Scenario& s, const RunResult& r) {
    if (!all_met(r.assumptions, Property::wrong_release)) return;
    ++judged;
    forgot += servers_forgot(r);
    judge(s, r, Property::wrong_release);
  });
  fmt::print("{}: {} runs within what releases need, {} of these with servers that forgot\n", GetParam(), judged,
             forgot);
  EXPECT_GT(judged, 20u);
}

// Nor is it excused: what a failover forgets is another's by then.
TEST(BareDelete, IsAccusedWhereServersForget) {
  LockKind boastful = *find_lock_kind("set-nx-px-unsafe-del");
  boastful.name = "set-nx-px-unsafe-del-that-claims-its-releases";
  boastful.claims.releases_only_own = true;
  ASSERT_TRUE(add_lock_kind(boastful));
  const auto gen = arbitrary_scenario(base_of(boastful), kAnythingForReleases);
  std::uint64_t accused = 0, after_a_loss = 0;
  for (std::uint64_t i = 1; i <= 1'000; ++i) {
    const Scenario s = gen(rc::Random(i), 100).value();
    auto compiled = Runner::compile(s);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled)) << write_scenario(s);
    const RunResult& r = std::get<std::unique_ptr<Runner>>(compiled)->run(i);
    if (of(r.findings, Property::wrong_release).verdict != Verdict::violated) continue;
    EXPECT_TRUE(all_met(r.assumptions, Property::wrong_release)) << write_scenario(s);
    ++accused;
    after_a_loss += servers_forgot(r);
  }
  fmt::print("{} of 1000 accused, {} of these after a server forgot\n", accused, after_a_loss);
  EXPECT_GT(accused, 10u);
  EXPECT_GT(after_a_loss, 0u);
}

// --- broken twins: each property catches a lock with a mistake, in scenarios that know nothing of it

struct Twin {
  Property property;
  std::string lock;
  std::string workload = "counter";
};

class BrokenTwin : public testing::TestWithParam<Twin> {};
INSTANTIATE_TEST_SUITE_P(
    OfEachProperty, BrokenTwin,
    testing::Values(
        Twin{Property::mutual_exclusion, "twin-grants-in-the-end"}, Twin{Property::double_grant, "twin-clears-the-way"},
        Twin{Property::lost_update, "twin-grants-in-the-end"}, Twin{Property::stale_write, "twin-grants-in-the-end"},
        Twin{Property::late_write, "set-nx-px"}, Twin{Property::fencing_monotonicity, "twin-random-token"},
        Twin{Property::wrong_release, "twin-clears-the-way"}, Twin{Property::unreleased, "twin-forgets-the-key"},
        Twin{Property::wrong_renewal, "twin-renews-in-passing"},
        Twin{Property::never_free_again, "twin-forgets-the-key"}, Twin{Property::starvation, "twin-asks-once"},
        Twin{Property::overtaking, "twin-unfair"}, Twin{Property::deadlock, "set-nx-px"},
        Twin{Property::lost_wake_up, "twin-asks-once"}, Twin{Property::orphaned, "twin-forgets-the-key"},
        Twin{Property::unserved, "twin-asks-once"}, Twin{Property::sold_twice, "twin-grants-in-the-end", "seats"}),
    [](const auto& instance) {
      std::string name(picklock::info(instance.param.property).name);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_P(BrokenTwin, IsCaughtByTheGeneralGenerator) {
  add_twin_locks();
  const Twin& twin = GetParam();
  Scenario base = base_of(*find_lock_kind(twin.lock));
  base.workload.kind = twin.workload;
  const auto gen = arbitrary_scenario(base);
  constexpr std::uint64_t kMost = 2'000;
  for (std::uint64_t i = 1; i <= kMost; ++i) {
    const Scenario s = gen(rc::Random(i), 100).value();
    auto compiled = Runner::compile(s);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(compiled)) << write_scenario(s);
    const RunResult& r = std::get<std::unique_ptr<Runner>>(compiled)->run(i);
    if (of(r.findings, twin.property).verdict != Verdict::violated) continue;
    fmt::print("{}: {} caught by run {}\n", info(twin.property).name, twin.lock, i);
    return;
  }
  ADD_FAILURE() << twin.lock << " was not caught in " << kMost << " runs";
}

}  // namespace
}  // namespace picklock
