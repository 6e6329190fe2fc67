#include "instruments/hunt/harmless.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "instruments/hunt/hunt_lab.hpp"

namespace picklock {
namespace {

// A power loss that the twin survives; a pause of the holder past its lease, which no twin does.
struct PowerLossAndPause {
  Scenario base = library("redlock_crash_without_fsync");
  Aim aim;
  Scenario drawn = base;

  PowerLossAndPause() {
    aim.twin = Aim::Twin{"with_fsync", library("redlock_crash_without_fsync/with_fsync")};
    for (Fault& f : library("paused_holder").faults) {
      visit_fields(f.options, [](const FieldInfo& info, std::optional<Duration>& v) {
        if (info.name == "lasts") v = seconds(12);
      });
      drawn.faults.insert(drawn.faults.begin() + 1, f);
    }
    demand(drawn, aim);
  }
};

std::size_t pauses(const Scenario& s) {
  return static_cast<std::size_t>(
      std::count_if(s.faults.begin(), s.faults.end(), [](const Fault& f) { return f.kind == "pause"; }));
}

TEST(Harmless, LeavesOutWhatHarmsTheTwinAndFindsTheRest) {
  PowerLossAndPause both;
  ASSERT_EQ(both.drawn.faults.size(), 4u);
  const Judge judge(both.base, both.aim);
  const PlanOutcome as_drawn = judge.play(both.drawn, 1);
  EXPECT_FALSE(as_drawn.failed());
  EXPECT_EQ(as_drawn.harms_twin, Property::mutual_exclusion);
  Scenario rest = both.drawn;
  const PlanOutcome outcome = play_what_spares_the_twin(judge, rest, 1);
  EXPECT_TRUE(outcome.failed());
  EXPECT_FALSE(outcome.harms_twin);
  EXPECT_EQ(pauses(rest), 0u);
  EXPECT_EQ(rest.faults.size(), 3u);
  EXPECT_GT(outcome.runs, as_drawn.runs + 2);
  EXPECT_LE(outcome.runs, 10u);
}

TEST(Harmless, LeavesAPlanAloneThatSparesTheTwin) {
  PowerLossAndPause both;
  const Judge judge(both.base, both.aim);
  Scenario rest = both.drawn;
  rest.faults.erase(rest.faults.begin() + 1);
  const FaultPlan before = rest.faults;
  const PlanOutcome outcome = play_what_spares_the_twin(judge, rest, 1);
  EXPECT_TRUE(outcome.failed());
  EXPECT_EQ(outcome.runs, 2u);
  EXPECT_EQ(rest.faults, before);
}

TEST(Harmless, GivesUpWhereNoFaultHasAPartInIt) {
  const Scenario base = library("seats_payment_longer_than_the_lease");
  Aim aim;
  aim.twin = Aim::Twin{"itself", base};
  Scenario drawn = base;
  demand(drawn, aim);
  const Judge judge(base, aim);
  const PlanOutcome outcome = play_what_spares_the_twin(judge, drawn, 1);
  EXPECT_FALSE(outcome.failed());
  EXPECT_TRUE(outcome.harms_twin);
  EXPECT_EQ(outcome.runs, 2u);
}

TEST(Harmless, PlaysAsDrawnWithoutATwin) {
  PowerLossAndPause both;
  both.aim.twin.reset();
  const Judge judge(both.base, both.aim);
  Scenario rest = both.drawn;
  const PlanOutcome outcome = play_what_spares_the_twin(judge, rest, 1);
  EXPECT_TRUE(outcome.failed());
  EXPECT_EQ(outcome.runs, 1u);
  EXPECT_EQ(rest.faults.size(), 4u);
}

}  // namespace
}  // namespace picklock
