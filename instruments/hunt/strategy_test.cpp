#include "instruments/hunt/strategy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "instruments/hunt/hunt_lab.hpp"
#include "instruments/hunt/near_miss.hpp"
#include "instruments/hunt/text.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

TEST(Seeded, DrawsTheSameAgain) {
  const HuntSpace space = space_of("paused_holder");
  EXPECT_EQ(draw_plan(space, {}, Strategy::many, 1, 17), draw_plan(space, {}, Strategy::many, 1, 17));
  EXPECT_FALSE(draw_plan(space, {}, Strategy::many, 1, 17) == draw_plan(space, {}, Strategy::many, 1, 18));
}

TEST(Strategy, PlansHaveTheFaultsThatItsNamePromises) {
  HuntSpace space = space_of("paused_holder");
  for (std::uint64_t plan = 0; plan < 50; ++plan) {
    const auto many = draw_plan(space, {}, Strategy::many, 1, plan).faults.size();
    EXPECT_TRUE(many >= 7 && many <= 12) << many;
    const auto few = draw_plan(space, {}, Strategy::few, 1, plan).faults.size();
    EXPECT_TRUE(few >= 1 && few <= 2) << few;
  }
  space.most_faults = 3;
  for (std::uint64_t plan = 0; plan < 50; ++plan) {
    EXPECT_LE(draw_plan(space, {}, Strategy::portfolio, 1, plan).faults.size(), 3u);
  }
}

TEST(Strategy, ThoseThatLearnAreTheSameForAnyNumberOfThreads) {
  const HuntSpace space = space_of("paused_holder");
  for (const Strategy strategy : {Strategy::near, Strategy::recipes, Strategy::order}) {
    HuntOptions options = few_plans(300);
    options.strategy = strategy;
    options.most_findings = 3;
    const std::string one = hunt_json(hunt(space, options), space, options, "x");
    options.jobs = 3;
    EXPECT_EQ(hunt_json(hunt(space, options), space, options, "x"), one) << name(strategy);
  }
}

TEST(NearMisses, KeepTheClosestAndDrawAroundThem) {
  const HuntSpace space = space_of("paused_holder");
  NearMisses near;
  EXPECT_EQ(near.draw(space, {}, 1, 7).scenario, draw_plan(space, {}, Strategy::many, 1, 7)) << "nothing was close yet";
  for (std::uint64_t plan = 0; plan < 100; ++plan) {
    near.note({draw_plan(space, {}, Strategy::many, 2, plan), 1'000 + plan}, static_cast<std::int64_t>(plan % 50), {5});
  }
  EXPECT_EQ(near.size(), NearMisses::kMost);
  std::size_t around = 0, with_its_seed = 0, reseeded = 0;
  for (std::uint64_t plan = 0; plan < 100; ++plan) {
    const Scenario fresh = draw_plan(space, {}, Strategy::many, 1, plan);
    const NearMisses::Plan drawn = near.draw(space, {}, 1, plan);
    around += !(drawn.scenario == fresh);
    with_its_seed += drawn.seed >= 1'000;
    reseeded += near.draw_recipe(space, {}, 1, plan).scenario.reseeds.empty() ? 0 : 1;
  }
  EXPECT_EQ(around, 50u);
  EXPECT_GT(with_its_seed, 10u);
  EXPECT_EQ(reseeded, 50u);
}

TEST(NearMisses, ARunIsCloserTheMoreOfALeaseItUses) {
  Scenario s = library("paused_holder");
  s.faults.clear();
  s.clients.resize(1);
  std::int64_t before = 0;
  for (const char* const hold : {"10ms", "30ms", "70ms", "95ms"}) {
    ASSERT_FALSE(set_in_scenario(s, std::string("clients.a.hold=") + hold));
    auto runner = std::get<0>(Runner::compile(s));
    const RunResult& result = runner->run(1);
    EXPECT_GT(closeness(result), before) << hold;
    before = closeness(result);
    EXPECT_FALSE(turning_points(result).empty());
  }
}

// Priorities are different for all ways, and at most two events change one.
TEST(Order, GivesEachWayAPriority) {
  const HuntSpace space = space_of("paused_holder");
  std::set<std::size_t> changes;
  for (std::uint64_t plan = 0; plan < 60; ++plan) {
    const Scenario drawn = draw_plan(space, {}, Strategy::order, 1, plan);
    std::set<std::int64_t> latencies;
    for (const LinkSpec& l : drawn.links) latencies.insert(l.latency.low());
    EXPECT_EQ(latencies.size(), 2 * space.faults.links.size());
    changes.insert(drawn.faults.size());
    for (const Fault& f : drawn.faults) {
      EXPECT_EQ(f.kind, "delay");
      EXPECT_FALSE(f.trigger.on.empty());
    }
  }
  EXPECT_EQ(changes, (std::set<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace picklock
