// Ensembles as a store under generated faults: what they promise, and broken twins that do not keep it.
//
// PICKLOCK_SOAK=50 makes the 20,000 runs of an optimised build a million (scripts/soak-zookeeper).

#include <gtest/gtest.h>

#include <iostream>

#include "sim/core/effort_lab.hpp"
#include "sim/zookeeper/ensemble_lab.hpp"

namespace picklock::testing {
namespace {

constexpr std::uint64_t kRuns = kFast ? 20'000 : 20;
constexpr Duration kHealing = seconds(12);

struct Totals {
  StoreFindings sum;
  std::uint64_t events = 0, epochs = 0, transactions = 0;
  void add(const StoreFindings& f, const EnsembleLab& lab) {
    sum.writes += f.writes, sum.reads += f.reads, sum.unknown += f.unknown, sum.stale_reads += f.stale_reads;
    sum.syncs += f.syncs, sum.sync_holes += f.sync_holes, sum.events += f.events, sum.refused += f.refused;
    events += lab.world.events();
    epochs += lab.judge.zab().epochs();
    transactions += lab.judge.transactions().size();
  }
};

EnsembleLabOptions setup_of(std::uint64_t seed) {
  EnsembleLabOptions o;
  o.servers = seed % 4 == 0 ? 5 : 3;
  o.observers = seed % 6 == 0 ? 1 : 0;
  o.snapshot_every = seed % 3 == 0 ? 10 : 100'000;
  o.zoo.version = seed % 7 == 0 ? ZooVersion::v3_4 : ZooVersion::v3_8;
  o.load = milliseconds(seed % 5 == 0 ? 2500 : 1200);
  return o;
}

StoreFindings run(EnsembleLab& lab, const EnsembleLabOptions& options, std::uint64_t seed, bool heals) {
  lab.begin(options, seed);
  lab.plan_faults(seed, options.load);
  lab.run_until(options.load + milliseconds(400));
  for (Duration t = options.load; heals && t < options.load + kHealing && !lab.converged(); t += milliseconds(300)) {
    lab.run_until(t);
  }
  StoreFindings found = check_store(lab.judge.transactions(), lab.history);
  for (std::size_t i = 0; i < lab.count(); ++i) {
    const std::string misplaced =
        lab.servers[i]->serves() ? lab.judge.misplaced(lab.servers[i]->tree()) : std::string();
    if (!misplaced.empty()) found.wrong.push_back(misplaced);
  }
  return found;
}

TEST(ZooStore, KeepsItsPromisesUnderGeneratedFaults) {
  EnsembleLab lab;
  Totals totals;
  for (std::uint64_t seed = 1; seed <= effort(kRuns); ++seed) {
    const StoreFindings found = run(lab, setup_of(seed), seed, true);
    ASSERT_TRUE(lab.judge.content()) << "seed " << seed << ": " << lab.judge.complaints()[0];
    ASSERT_TRUE(found.wrong.empty()) << "seed " << seed << ": " << found.wrong[0];
    ASSERT_TRUE(lab.converged()) << "seed " << seed;
    totals.add(found, lab);
  }
  const StoreFindings& s = totals.sum;
  std::cout << s.writes << " writes answered (" << s.refused << " refused), " << s.reads << " reads (" << s.stale_reads
            << " stale), " << s.syncs << " syncs (" << s.sync_holes << " let old data through), " << s.events
            << " events, " << s.unknown << " unknown, " << totals.epochs << " epochs, " << totals.events
            << " simulation events\n";
  EXPECT_GT(s.writes, kRuns);
  EXPECT_TRUE(!kFast || s.stale_reads > 0);
  EXPECT_TRUE(!kFast || s.unknown > 0);
  EXPECT_GT(s.events, 0u);
  EXPECT_GE(totals.epochs, effort(kRuns));
}

TEST(ZooStore, EachFlawIsCaught) {
  struct Twin {
    const char* name;
    ZabFlaw zab;
    ZooFlaw zoo;
    bool rare = false;  // takes more than fifty runs: not in slow builds
    ZooDefect defect = ZooDefect::none;
  };
  const Twin twins[] = {
      {"commits-alone", ZabFlaw::commits_alone, ZooFlaw::none, true},
      {"forgets-truncation", ZabFlaw::forgets_truncation, ZooFlaw::none, true},
      {"forgets-epoch", ZabFlaw::forgets_epoch, ZooFlaw::none, true},
      {"acks-before-log", ZabFlaw::acks_before_log, ZooFlaw::none, true},
      {"elects-by-sid", ZabFlaw::elects_by_sid, ZooFlaw::none, true},
      {"drops-own-proposals", ZabFlaw::drops_own_proposals, ZooFlaw::none},
      {"watch-after-reply", ZabFlaw::none, ZooFlaw::watch_after_reply},
      {"follower-expires", ZabFlaw::none, ZooFlaw::follower_expires},
      {"closing-may-create", ZabFlaw::none, ZooFlaw::closing_may_create, true},
      {"vanish-on-disconnect", ZabFlaw::none, ZooFlaw::none, false, ZooDefect::vanish_on_disconnect},
  };
  EnsembleLab lab;
  for (const Twin& twin : twins) {
    if (twin.rare && !kFast) continue;
    std::uint64_t seed = 1;
    std::string what;
    for (; seed <= 20'000 && what.empty(); ++seed) {
      EnsembleLabOptions options = setup_of(seed);
      options.flaw = twin.zoo;
      options.zab_flaw = twin.zab;
      options.zoo.defect = twin.defect;
      const StoreFindings found = run(lab, options, seed, false);
      if (!lab.judge.content()) {
        what = lab.judge.complaints()[0];
      } else if (!found.wrong.empty()) {
        what = found.wrong[0];
      }
    }
    std::cout << twin.name << ": run " << seed - 1 << ", " << what << "\n";
    EXPECT_FALSE(what.empty()) << twin.name;
  }
}

TEST(ZooStore, IsAPureFunctionOfItsSeed) {
  EnsembleLab one, other;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    (void)run(one, setup_of(seed), seed, true);
    (void)run(other, setup_of(seed), seed, true);
    EXPECT_EQ(one.world.trace.digest(), other.world.trace.digest()) << seed;
  }
}

}  // namespace
}  // namespace picklock::testing
