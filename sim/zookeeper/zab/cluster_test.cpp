// Ensembles without a world under generated mishaps: the sound one keeps its promises, each broken twin is caught.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <iostream>

#include "sim/core/effort_lab.hpp"
#include "sim/zookeeper/zab/zab_lab.hpp"

namespace picklock::testing {
namespace {

constexpr ZabMs kLoad = 6000, kHealed = 6000;
constexpr std::uint64_t kRuns = kFast ? 1000 : 150;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  ZabMs below(ZabMs n) { return static_cast<ZabMs>(mix(state_ += kGolden) % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

// Swarm: each plan has some kinds of mishaps, and not others.
std::vector<ZabMishap> plan_of(std::uint64_t seed) {
  Dice dice(seed);
  std::vector<ZabMishap> plan;
  const ZabMs kinds = 1 + dice.below(63);
  const ZabMs mishaps = 1 + dice.below(25), proposals = 10 + dice.below(60);
  for (ZabMs i = 0; i < mishaps; ++i) {
    ZabMishap m;
    m.kind = static_cast<ZabMishap::Kind>(dice.below(7));
    if (m.kind == ZabMishap::Kind::propose || ((kinds >> static_cast<int>(m.kind)) & 1) == 0) continue;
    m.at = 400 + dice.below(kLoad - 400);
    const ZabMs who = dice.below(8);
    m.who = who < 5 ? static_cast<std::uint32_t>(who) : who < 7 ? ZabMishap::leading : ZabMishap::all;
    m.lasts = dice.below(2) == 0 ? dice.below(60) : dice.below(1200);
    plan.push_back(m);
  }
  for (ZabMs i = 0; i < proposals; ++i) plan.push_back({400 + dice.below(kLoad), ZabMishap::Kind::propose, 0, 0});
  return plan;
}

ZabLabOptions setup_of(std::uint64_t seed, ZabFlaw flaw) {
  ZabLabOptions options;
  options.voters = seed % 3 == 0 ? 5 : 3;
  options.observers = seed % 5 == 0 ? 1 : 0;
  options.seed = seed;
  options.zab.flaw = flaw;
  options.zab.snapshot_every = seed % 2 == 0 ? 7 : 1000;
  if (seed % 11 == 0) options.zab.last_counter = 9;
  return options;
}

TEST(ZabCluster, KeepsItsPromisesUnderGeneratedMishaps) {
  std::size_t diffs = 0, truncs = 0, snaps = 0, epochs = 0, stuck = 0;
  for (std::uint64_t seed = 1; seed <= effort(kRuns); ++seed) {
    ZabLab lab(setup_of(seed, ZabFlaw::none));
    lab.run(plan_of(seed), kLoad);
    lab.run_until(kLoad + kHealed);
    ASSERT_TRUE(lab.witness.content()) << "seed " << seed << ": " << lab.witness.complaints()[0];
    if (!lab.converged()) ++stuck;
    EXPECT_TRUE(lab.converged()) << "seed " << seed;
    diffs += lab.count(ZabMessage::Kind::diff);
    truncs += lab.count(ZabMessage::Kind::trunc);
    snaps += lab.count(ZabMessage::Kind::snap);
    epochs += lab.witness.epochs();
  }
  std::cout << diffs << " DIFF, " << truncs << " TRUNC, " << snaps << " SNAP, " << epochs << " epochs, " << stuck
            << " stuck\n";
  EXPECT_GT(diffs, 0u);
  EXPECT_GT(truncs, 0u);
  EXPECT_GT(snaps, 0u);
}

// The same with plans that shrink.
RC_GTEST_PROP(ZabCluster, HoldsForPlansThatShrink, ()) {
  const auto mishaps = *rc::gen::container<std::vector<ZabMishap>>(
      rc::gen::map(rc::gen::tuple(rc::gen::inRange<ZabMs>(300, kLoad), rc::gen::inRange(0, 7), rc::gen::inRange(0u, 8u),
                                  rc::gen::inRange<ZabMs>(0, 1500)),
                   [](const std::tuple<ZabMs, int, std::uint32_t, ZabMs>& t) {
                     const std::uint32_t who = std::get<2>(t);
                     return ZabMishap{std::get<0>(t), static_cast<ZabMishap::Kind>(std::get<1>(t)),
                                      who < 5   ? who
                                      : who < 7 ? ZabMishap::leading
                                                : ZabMishap::all,
                                      std::get<3>(t)};
                   }));
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  std::vector<ZabMishap> plan = mishaps;
  for (ZabMs at = 400; at < kLoad; at += 110) plan.push_back({at, ZabMishap::Kind::propose, 0, 0});
  ZabLab lab(setup_of(seed, ZabFlaw::none));
  lab.run(plan, kLoad);
  lab.run_until(kLoad + kHealed);
  RC_ASSERT(lab.witness.complaints() == std::vector<std::string>{});
  RC_ASSERT(lab.converged());
}

TEST(ZabCluster, EachFlawIsCaught) {
  const char* const names[] = {
      "none",          "commits-alone",      "forgets-truncation", "forgets-epoch", "acks-before-log",
      "elects-by-sid", "drops-own-proposals"};
  for (int f = 1; f < static_cast<int>(ZabFlaw::count_); ++f) {
    const bool rare = static_cast<ZabFlaw>(f) == ZabFlaw::acks_before_log;
    if (rare && kRuns < 1000) continue;  // it takes about that many
    std::uint64_t seed = 1;
    for (; seed <= 4000; ++seed) {
      ZabLab lab(setup_of(seed, static_cast<ZabFlaw>(f)));
      lab.run(plan_of(seed), kLoad + 500);
      if (!lab.witness.content()) {
        std::cout << names[f] << ": run " << seed << ", " << lab.witness.complaints()[0] << "\n";
        break;
      }
    }
    EXPECT_LE(seed, 4000u) << names[f];
  }
}

}  // namespace
}  // namespace picklock::testing
