#include "instruments/hunt/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/text.hpp"
#include "instruments/hunt/hunt_lab.hpp"

namespace picklock {
namespace {

TEST(Grid, HasEveryKindOfFaultAtEveryTarget) {
  const HuntSpace space = space_of("paused_holder");
  const std::vector<Fault> all = single_faults(space.faults, {});
  std::set<std::string> texts;
  for (const Fault& f : all) texts.insert(to_text(f));
  EXPECT_EQ(texts.size(), all.size()) << "a fault occurs twice";
  for (const char* const node : {"a", "b", "redis", "storage"}) {
    const auto there = std::any_of(texts.begin(), texts.end(), [&](const std::string& t) {
      return t.find("pause") == 0 && t.find(std::string("node=") + node) != std::string::npos;
    });
    EXPECT_TRUE(there) << node;
  }
}

// Exhaustive search against plain loops over the same faults.
TEST(Grid, AgreesWithBruteForce) {
  HuntSpace space = space_of("paused_holder");
  space.kinds = {"pause"};
  space.faults.marks = {"enters", "writes"};
  space.faults.deadlines.resize(1);
  const std::vector<Fault> singles = single_faults(space.faults, space.kinds);
  HuntOptions options;
  options.strategy = Strategy::exhaustive;
  options.most_plans = singles.size();
  options.most_findings = 10'000;
  const HuntResult result = hunt(space, options);
  const Judge judge(space.base, options.aim);
  std::uint64_t failed = 0;
  Scenario calm = space.base;
  calm.faults.clear();
  calm.expect.clear();
  for (const Fault& f : singles) {
    calm.faults = {f};
    failed += judge.play(calm, 1).failed();
  }
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(result.failed, failed);
  EXPECT_EQ(result.plans, singles.size());
}

// Pairs as well: all pairs of all single faults, with those that the search leaves out.
TEST(Grid, PairsAgreeWithBruteForce) {
  HuntSpace space = space_of("paused_holder");
  space.kinds = {"pause"};
  space.faults.marks = {"enters"};
  space.faults.tasks.clear();
  std::erase_if(space.faults.nodes, [](const FaultSpace::Node& n) { return n.name != "a" && n.name != "redis"; });
  space.faults.deadlines = {{DeadlineKind::lease, milliseconds(60)}};  // no pause of half of it breaks the lease alone
  const std::vector<Fault> singles = single_faults(space.faults, space.kinds);
  HuntOptions options;
  options.strategy = Strategy::exhaustive;
  options.most_plans = 1'000'000;
  options.most_findings = 10'000;
  options.shrink.most_tries = 0;
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.complete);

  const Judge judge(space.base, options.aim);
  Scenario calm = space.base;
  calm.faults.clear();
  calm.expect.clear();
  const auto fails = [&](FaultPlan plan) {
    calm.faults = std::move(plan);
    return judge.play(calm, 1).failed();
  };
  std::uint64_t failed = 0, left_out = 0;
  const std::uint64_t quiet = judge.play(calm, 1).digest;
  std::vector<char> alone, idle;
  for (const Fault& f : singles) {
    alone.push_back(fails({f}));
    idle.push_back(judge.play(calm, 1).digest == quiet);
    failed += static_cast<std::uint64_t>(alone.back());
  }
  for (std::size_t i = 0; i < singles.size(); ++i) {
    for (std::size_t j = i + 1; j < singles.size(); ++j) {
      const bool both = fails({singles[i], singles[j]});
      if (idle[i] || idle[j]) {
        ++left_out;
        EXPECT_EQ(both, (idle[i] ? alone[j] : alone[i]) != 0) << to_text(singles[i]) << to_text(singles[j]);
      } else {
        failed += both;
      }
    }
  }
  EXPECT_GT(left_out, 0u);
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(result.failed, failed);
}

// All pairs of a small grid, and what stands for them.
struct ClassifiedGrid {
  HuntSpace space;
  Aim aim;
  Judge judge{space.base, aim};
  Grid grid;
  std::vector<std::size_t> useful;

  explicit ClassifiedGrid(HuntSpace s) : space(std::move(s)), grid(single_faults(space.faults, space.kinds)) {
    space.base.faults.clear();
    space.base.expect.clear();
    const Checkpoints events{{}, event_triggers_of(grid.faults())};
    grid.classify(played({}, &events).checked);
    const PlanOutcome calm = played({}, &grid.classes()->checkpoints());
    grid.classes()->note_calm(calm.checked);
    for (std::size_t i = 0; i < grid.singles(); ++i) {
      const PlanOutcome outcome = played(*grid.next(), &grid.classes()->checkpoints());
      if (!outcome.playable || outcome.digest == calm.digest) {
        grid.note_idle(i);
      } else {
        grid.classes()->note(i, outcome.checked);
        useful.push_back(i);
      }
    }
  }
  PlanOutcome played(FaultPlan plan, const Checkpoints* checkpoints) const {
    Scenario s = space.base;
    s.faults = std::move(plan);
    return judge.play(s, 1, checkpoints);
  }
};

// Pairs that are left out against the plans that stand for them: the same verdict, and from the later fault on the same worlds.
TEST(Grid, PairsThatAreLeftOutHaveTheFutureOfOthers) {
  std::size_t calm = 0, others = 0;
  for (const char* const name : {"paused_holder", "etcd_paused_holder", "zookeeper_paused_holder"}) {
    HuntSpace space = space_of(name);
    space.kinds = {"pause", "partition", "freeze"};
    space.faults.marks = {"enters", "leaves"};
    space.faults.tasks.clear();
    space.faults.links.resize(1);
    std::erase_if(space.faults.nodes, [](const FaultSpace::Node& n) { return n.name == "a" || n.name.ends_with("1"); });
    space.faults.deadlines = {{DeadlineKind::lease, milliseconds(20)}};
    ClassifiedGrid g(space);
    while (g.grid.next()) {
    }
    const WorldClasses& classes = *g.grid.classes();
    std::size_t left_out = 0, compared = 0;
    for (const std::size_t one : g.useful) {
      for (const std::size_t other : g.useful) {
        const std::size_t stand_in = one == other ? one : classes.stands_for(one, other);
        if (stand_in == one || ++left_out % 41 != 0) continue;
        const std::vector<Fault>& faults = g.grid.faults();
        FaultPlan less;
        if (stand_in != WorldClasses::kCalm) less.push_back(faults[stand_in]);
        less.push_back(faults[other]);
        const PlanOutcome both = g.played({faults[one], faults[other]}, &classes.checkpoints());
        const PlanOutcome known = g.played(less, &classes.checkpoints());
        const std::string text = std::string(name) + "\n" + to_text(FaultPlan{faults[one], faults[other]});
        EXPECT_EQ(both.failed(), known.failed()) << text;
        ASSERT_EQ(both.checked.fired, known.checked.fired) << text;
        for (std::size_t i = 0; i < both.checked.fingerprints.size(); ++i) {
          const std::uint64_t print = both.checked.fingerprints[i];
          if (print != 0) {
            EXPECT_EQ(print, known.checked.fingerprints[i]) << text;
          }
        }
        ++compared;
        ++(stand_in == WorldClasses::kCalm ? calm : others);
      }
    }
    EXPECT_GT(left_out, 100u) << name;
    EXPECT_GT(compared, 2u) << name;
  }
  EXPECT_GT(calm, 0u);
  EXPECT_GT(others, 0u);
}

TEST(Grid, PairsAreMadeOfWhatHasAnEffect) {
  std::vector<Fault> singles(5);
  Grid grid(singles);
  for (std::size_t i = 0; i < singles.size(); ++i) EXPECT_EQ(grid.next()->size(), 1u);
  grid.note_idle(1);
  grid.note_idle(3);
  std::size_t pairs = 0;
  while (grid.next()) ++pairs;
  EXPECT_EQ(pairs, 3u);  // three pairs of the faults 0, 2 and 4
  EXPECT_EQ(grid.idle(), 2u);
}

}  // namespace
}  // namespace picklock
