#include "checker/properties/assumptions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "checker/properties/properties.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(Assumptions, TheTableIsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < kAssumptionCount; ++i) {
    const auto kind = static_cast<AssumptionKind>(i);
    EXPECT_EQ(info(kind).kind, kind);
    EXPECT_EQ(find_assumption(info(kind).name), kind);
  }
  EXPECT_EQ(find_assumption("all-is-well"), std::nullopt);
}

TEST(Assumptions, EachIsMetByACalmRunAndBrokenByItsOwnFaultAlone) {
  for (const AssumptionInfo& about : assumptions()) {
    const Assumption assumption{about.kind, 0};
    ExecutedFaults faults;
    EXPECT_TRUE(assess(assumption, faults).met) << about.name;
    faults.*about.observed = 1;
    for (const AssumptionInfo& other : assumptions()) {
      EXPECT_EQ(assess(Assumption{other.kind, 0}, faults).met, other.kind != about.kind)
          << about.name << " " << other.name;
    }
    EXPECT_TRUE(faults.any());
  }
  EXPECT_FALSE(ExecutedFaults{}.any());
}

TEST(Assumptions, LimitsAreStrictWhereTheirNamesSaySo) {
  ExecutedFaults faults;
  faults.pause_ns = 100 * kMs;
  faults.clock_rate_error_ppm = 200;
  const auto met = [&](AssumptionKind kind, std::int64_t limit) { return assess(Assumption{kind, limit}, faults).met; };
  EXPECT_FALSE(met(AssumptionKind::pauses_shorter_than, 100 * kMs));
  EXPECT_TRUE(met(AssumptionKind::pauses_shorter_than, 100 * kMs + 1));
  EXPECT_TRUE(met(AssumptionKind::clock_rates_within, 200));
  EXPECT_FALSE(met(AssumptionKind::clock_rates_within, 199));
}

TEST(Assumptions, ALockIsSafeOnlyIfAllAreMet) {
  const std::array both{Assumption{AssumptionKind::pauses_shorter_than, 100 * kMs},
                        Assumption{AssumptionKind::no_data_loss, 0}};
  ExecutedFaults faults;
  faults.pause_ns = 99 * kMs;
  EXPECT_TRUE(all_met(both, faults));
  faults.data_losses = 1;
  EXPECT_FALSE(all_met(both, faults));
  EXPECT_TRUE(all_met({}, faults));
}

TEST(Assumptions, OfReleasesConcernNoOtherClaim) {
  ExecutedFaults faults;
  faults.message_delay_ns = 60 * kMs;
  const ClaimSet releases = ClaimSet{} | ClaimGroup::releases;
  const std::array assessed{assess(assumption(AssumptionKind::delays_shorter_than, 10'000 * kMs), faults),
                            assess({AssumptionKind::delays_shorter_than, 50 * kMs, releases}, faults)};
  EXPECT_TRUE(all_met(assessed, Property::mutual_exclusion));
  EXPECT_TRUE(all_met(assessed, Property::starvation));
  EXPECT_FALSE(all_met(assessed, Property::wrong_release));
  EXPECT_EQ(print(assessed[1]), "delays-shorter-than(50.0 ms) for releases broken: 60.0 ms");
}

// A pause excuses two holders, but no wrong renewal, and no two holders who stop at their deadlines.
TEST(Assumptions, EachClaimUsuallyNeedsItsOwn) {
  ExecutedFaults stopped, lost;
  stopped.pause_ns = 200 * kMs;
  lost.data_losses = 1;
  const auto excuses = [](const ExecutedFaults& faults, AssumptionKind kind, Property property, bool all_heed = false) {
    const std::array assessed{assess(assumption(kind, 100 * kMs), faults, all_heed)};
    return !all_met(assessed, property);
  };
  constexpr auto kPauses = AssumptionKind::pauses_shorter_than, kLoss = AssumptionKind::no_data_loss;
  EXPECT_TRUE(excuses(stopped, kPauses, Property::mutual_exclusion));
  EXPECT_TRUE(excuses(stopped, kPauses, Property::double_grant));
  EXPECT_TRUE(excuses(stopped, kPauses, Property::starvation));
  EXPECT_TRUE(excuses(stopped, kPauses, Property::overtaking));
  EXPECT_FALSE(excuses(stopped, kPauses, Property::mutual_exclusion, true));
  EXPECT_TRUE(excuses(stopped, kPauses, Property::double_grant, true));
  EXPECT_FALSE(excuses(stopped, kPauses, Property::fencing_monotonicity));
  EXPECT_FALSE(excuses(stopped, kPauses, Property::wrong_release));
  EXPECT_FALSE(excuses(stopped, kPauses, Property::wrong_renewal));
  EXPECT_TRUE(excuses(lost, kLoss, Property::mutual_exclusion, true));
  EXPECT_TRUE(excuses(lost, kLoss, Property::fencing_monotonicity));
  EXPECT_TRUE(excuses(lost, kLoss, Property::unreleased));
  EXPECT_FALSE(excuses(stopped, kPauses, Property::unreleased));
  EXPECT_FALSE(excuses(lost, kLoss, Property::wrong_release));
  EXPECT_FALSE(excuses(lost, kLoss, Property::wrong_renewal));
}

TEST(Assumptions, ClaimsAreReadFromTheirNames) {
  const ClaimSet usual = info(AssumptionKind::pauses_shorter_than).usual;
  EXPECT_EQ(find_claims("releases tokens", usual), ClaimSet{} | ClaimGroup::releases | ClaimGroup::tokens);
  EXPECT_EQ(find_claims("usual releases", usual), usual | ClaimGroup::releases);
  EXPECT_EQ(find_claims("relases", usual), std::nullopt);
  EXPECT_EQ(find_claims("", usual), ClaimSet{});
  for (std::size_t i = 0; i < kClaimGroupCount; ++i) {
    const auto group = static_cast<ClaimGroup>(i);
    EXPECT_EQ(find_claims(name(group), {}), ClaimSet{} | group);
  }
}

// A waiter can be served only while enough servers answer; what is unsafe is so without them.
TEST(Assumptions, EnoughServersConcernThoseWhoWaitAlone) {
  ExecutedFaults faults;
  faults.servers_missing = 1;
  const std::array assessed{assess(assumption(AssumptionKind::enough_servers), faults)};
  for (const PropertyInfo& p : properties()) {
    const bool of_waiters = p.claim == Claim::progress || p.claim == Claim::waking;
    EXPECT_EQ(all_met(assessed, p.property), !of_waiters) << p.name;
  }
}

TEST(Assumptions, ArePrintedWithWhatWasObserved) {
  ExecutedFaults faults;
  faults.pause_ns = 200 * kMs;
  faults.message_delay_ns = std::numeric_limits<std::int64_t>::max();
  const auto text = [&](AssumptionKind kind, std::int64_t limit) {
    return print(assess(Assumption{kind, limit}, faults));
  };
  EXPECT_EQ(text(AssumptionKind::pauses_shorter_than, 100 * kMs), "pauses-shorter-than(100.0 ms) broken: 200.0 ms");
  EXPECT_EQ(text(AssumptionKind::delays_shorter_than, 5 * kMs), "delays-shorter-than(5.0 ms) broken: for ever");
  EXPECT_EQ(text(AssumptionKind::clock_rates_within, 500), "clock-rates-within(500 ppm) met: 0 ppm");
  EXPECT_EQ(text(AssumptionKind::no_kills, 0), "no-kills met");
}

// A promise that was never seen has no length: neither kept nor broken, unless what was seen breaks it already.
TEST(Assumptions, WhatIsMeasuredAgainstAPromiseIsUnknownIfNoOwnerWasNamed) {
  for (const AssumptionKind kind : {AssumptionKind::holds_shorter_than, AssumptionKind::beliefs_shorter_than}) {
    ExecutedFaults faults;
    faults.unseen_locks = 1;
    const Assessment unknown = assess(assumption(kind, 100), faults);
    EXPECT_TRUE(unknown.unknown && !unknown.met && !unknown.broken());
    EXPECT_NE(print(unknown).find(" unknown: the service never named an owner"), std::string::npos) << print(unknown);
    EXPECT_FALSE(all_met(std::vector{unknown}, Property::mutual_exclusion)) << "what is unknown is not met";
    faults.hold_ns = faults.belief_ns = 200;
    EXPECT_TRUE(assess(assumption(kind, 100), faults).broken());
  }
  ExecutedFaults faults;
  faults.unseen_locks = 1;
  EXPECT_TRUE(assess(assumption(AssumptionKind::pauses_shorter_than, 100), faults).met) << "it needs no promise";
  EXPECT_TRUE(assess(assumption(AssumptionKind::no_unanswered_requests), faults).met);
  faults.unseen_refusals = 1;
  EXPECT_TRUE(assess(assumption(AssumptionKind::no_unanswered_requests), faults).unknown) << "the hold may have stayed";
}

}  // namespace
}  // namespace picklock
