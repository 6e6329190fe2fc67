#include "instruments/hunt/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "instruments/hunt/hunt_lab.hpp"
#include "instruments/hunt/text.hpp"
#include "instruments/hunt/usual.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

Judgement judged(const Aim& aim, const Scenario& scenario, Property property) {
  const auto runner = std::get<0>(Runner::compile(scenario));
  for (const Judgement& j : judge_run(aim, scenario, runner->run(1))) {
    if (j.property == property) return j;
  }
  ADD_FAILURE() << "it is not judged";
  return {};
}

TEST(Judgement, CountsARunOnlyIfItCouldHaveBrokenTheProperty) {
  const auto me = Property::mutual_exclusion;
  Aim aim;
  const Scenario paused = library("paused_holder");
  EXPECT_EQ(judged(aim, paused, me).bearing, Bearing::failed);
  Scenario calm = paused;
  calm.faults.clear();
  EXPECT_EQ(judged(aim, calm, me).bearing, Bearing::passed);
  Scenario alone = calm;
  alone.clients.resize(1);
  const Judgement open = judged(aim, alone, me);
  EXPECT_EQ(open.bearing, Bearing::undecided);
  EXPECT_NE(open.why, "");
  aim.properties = {Property::fencing_monotonicity};
  EXPECT_EQ(judged(aim, calm, Property::fencing_monotonicity).bearing, Bearing::not_applicable);
  aim.properties = {me};
  aim.within_assumptions = true;
  const Judgement outside = judged(aim, paused, me);
  EXPECT_EQ(outside.bearing, Bearing::outside);
  EXPECT_EQ(outside.why, "pauses-shorter-than");
  aim.within_assumptions = false;
  aim.beyond = AssumptionKind::clock_rates_within;
  EXPECT_EQ(judged(aim, paused, me).bearing, Bearing::outside);
}

// A lock that stays with a dead holder promises no progress after that.
TEST(Judgement, AsksForNothingThatTheLockDoesNotPromise) {
  Aim aim;
  aim.properties = {Property::never_free_again};
  const Scenario dead = library("crash_without_expiry");
  EXPECT_EQ(judged(aim, dead, Property::never_free_again).bearing, Bearing::failed);
  aim.promised_alone = true;
  EXPECT_EQ(judged(aim, dead, Property::never_free_again).bearing, Bearing::not_promised);
}

TEST(JudgedProperty, AddsUpWhatPlansSay) {
  JudgedProperty sum{.property = Property::starvation};
  for (const Bearing b : {Bearing::passed, Bearing::failed, Bearing::outside, Bearing::not_promised}) {
    sum.add({.property = Property::starvation, .bearing = b, .why = b == Bearing::outside ? "no-kills" : ""});
  }
  sum.add({.property = Property::starvation, .bearing = Bearing::undecided, .why = "w", .settle = seconds(2)});
  sum.add({.property = Property::starvation, .bearing = Bearing::undecided, .why = "w", .settle = seconds(1)});
  EXPECT_EQ(sum.decided(), 2u);
  EXPECT_EQ(sum.all(), 6u);
  EXPECT_EQ(sum.undecided_by.at("w"), 2u);
  EXPECT_EQ(sum.outside_by.at("no-kills"), 1u);
  EXPECT_EQ(sum.settle, seconds(2));
}

// --- a hunt clears nothing that it never tested

const JudgedProperty& of(const HuntResult& result, Property property) {
  return *std::find_if(result.judged.begin(), result.judged.end(),
                       [&](const JudgedProperty& j) { return j.property == property; });
}

TEST(HuntSilence, IsWorthTheDecidedPlansAlone) {
  const HuntSpace space = space_of("paused_holder");
  HuntOptions options = few_plans(256);
  options.aim.within_assumptions = true;
  options.aim.properties = {Property::mutual_exclusion, Property::fencing_monotonicity};
  const HuntResult result = hunt(space, options);
  ASSERT_TRUE(result.findings.empty());
  const JudgedProperty& me = of(result, Property::mutual_exclusion);
  EXPECT_GT(me.decided(), 30u) << "most faults come when the contest is over, or are cut off";
  EXPECT_LT(me.decided(), 256u) << "in some plans nobody contends";
  EXPECT_EQ(me.all(), 256u - result.unplayable);
  // No client has a token, so the silence of the hunt is no evidence.
  EXPECT_EQ(of(result, Property::fencing_monotonicity).decided(), 0u);
  EXPECT_FALSE(result.tested_all());
  const std::string text = hunt_text(result, space, options, "x");
  EXPECT_NE(text.find("NOT TESTED: fencing-monotonicity. This hunt says nothing of it.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("fencing-monotonicity: NOT TESTED: no plan could have broken it; 0 of"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("NOT TESTED: mutual-exclusion"), std::string::npos) << text;
}

// Plans within the assumptions do not test what lies outside of them.
TEST(HuntSilence, SaysWhichAssumptionEveryPlanBroke) {
  HuntSpace space = space_of("paused_holder");
  for (ClientSpec& c : space.base.clients) c.hold = Law::constant(seconds(1));  // the lease is 100 ms
  space.faults = fault_space_of(space.base);
  HuntOptions options = few_plans(64);
  options.aim.within_assumptions = true;
  const HuntResult result = hunt(space, options);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_FALSE(result.tested_all());
  const JudgedProperty& me = of(result, Property::mutual_exclusion);
  EXPECT_EQ(me.decided(), 0u);
  EXPECT_GT(me.outside_by.at("holds-shorter-than"), 32u);
}

// Two sides whose draws diverge can differ by chance: then no other seed shows the difference.
TEST(HuntFinding, IsOfChanceIfNoOtherSeedTellsTheTwinsApart) {
  Aim against;
  against.twin = Aim::Twin{"twin", {}};
  HuntFinding f;
  f.others = 0;
  EXPECT_TRUE(f.by_chance(against));
  EXPECT_FALSE(f.by_chance(Aim{})) << "without a twin there is no difference";
  f.others = 1;
  EXPECT_FALSE(f.by_chance(against));
  EXPECT_TRUE(f.fragile());
}

// --- what is judged and played where a lock alone is named

TEST(UsualHunt, JudgesWhatTheLockClaimsWithItsOptions) {
  Scenario s = library("healthy_control");
  const auto judges = [&](Property p) {
    const auto all = claims_to_judge(s);
    return std::find(all.begin(), all.end(), p) != all.end();
  };
  EXPECT_TRUE(judges(Property::mutual_exclusion) && judges(Property::double_grant) && judges(Property::wrong_release) &&
              judges(Property::never_free_again) && judges(Property::starvation) && judges(Property::lost_wake_up));
  EXPECT_FALSE(judges(Property::fencing_monotonicity)) << "it has no tokens";
  EXPECT_FALSE(judges(Property::overtaking)) << "it claims no order";
  EXPECT_FALSE(judges(Property::wrong_renewal)) << "its renewal is off";
  EXPECT_FALSE(long_section(s).outlives_lease);
  ASSERT_FALSE(set_in_scenario(s, "lock.renewal=true"));
  EXPECT_TRUE(long_section(s).renews);
  EXPECT_TRUE(judges(Property::wrong_renewal));
  // Redlock prolongs nothing by default, though servers that answer late add to a hold; a session keeps what it has.
  Scenario majority = library("healthy_control");
  ASSERT_FALSE(set_lock(majority, "redlock"));
  EXPECT_FALSE(long_section(majority).outlives_lease);
  Scenario session = library("healthy_control");
  ASSERT_FALSE(set_lock(session, "zookeeper-lock"));
  EXPECT_TRUE(long_section(session).outlives_lease);
}

TEST(UsualHunt, WorksForLongerThanALeaseThatIsRenewed) {
  HuntSpace space = space_of("healthy_control");
  const HuntSpace before = space;
  lengthen_sections(space);
  EXPECT_EQ(space.base, before.base) << "it renews nothing";
  ASSERT_FALSE(set_in_scenario(space.base, "lock.renewal=true"));
  lengthen_sections(space);
  EXPECT_EQ(space.base.clients[0].hold, Law::constant(milliseconds(2'500)));
  EXPECT_GE(space.base.phases.load, seconds(4));
  EXPECT_EQ(space.longest_section, seconds(3));
}

}  // namespace
}  // namespace picklock
