#include "instruments/envelope/envelope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

HazardEdge edge_of(const char* lock, const char* hazard, std::uint64_t seeds = 10) {
  EnvelopeOptions options;
  options.seeds = seeds;
  options.hazards = {find_hazard(hazard)};
  const auto envelope = envelope_of(lock, options);
  EXPECT_TRUE(envelope && envelope->edges.size() == 1) << lock;
  return envelope->edges.front();
}

// Theory: a pause lets a second client in when it lasts as long as what is left of the lease when it begins.
TEST(Envelope, APauseBreaksALeaseWhenItIsAsLong) {
  const HazardEdge e = edge_of("set-nx-px", "pause");
  ASSERT_EQ(e.violated, e.seeds);
  const auto lease = static_cast<double>(*e.bound);
  EXPECT_GT(static_cast<double>(e.edges.front()), 0.98 * lease);
  EXPECT_LT(static_cast<double>(e.edges.back()), 1.05 * lease);
  EXPECT_EQ(e.fit, Fit::tight);
}

TEST(Envelope, ASectionBreaksALeaseWhenItIsAsLong) {
  const HazardEdge e = edge_of("set-nx-px", "section");
  ASSERT_EQ(e.violated, e.seeds);
  EXPECT_EQ(e.fit, Fit::tight);
}

// A section of nine tenths of the lease ends after it if the server's clock is faster by one ninth.
TEST(Envelope, AFastClockEndsALeaseEarly) {
  const HazardEdge e = edge_of("set-nx-px", "clock-rate");
  ASSERT_EQ(e.violated, e.seeds);
  EXPECT_NEAR(static_cast<double>(e.edges.front()) / 1e6, 1.0 / 9, 0.01);
  EXPECT_NEAR(static_cast<double>(e.edges.back()) / 1e6, 1.0 / 9, 0.02);
}

// Releases need delays below the timeout of a request, 1 s; that two clients stay apart needs them below the lease alone.
TEST(Envelope, WhatReleasesNeedIsNotClaimedOfTwoClients) {
  const auto contest = contest_of("set-nx-px");
  ASSERT_TRUE(contest);
  EXPECT_EQ(edge_of("set-nx-px", "delay", 1).bound, contest->lease.ns);
}

TEST(Envelope, OneOfFiveServersMayLoseItsDataOneOfOneMayNot) {
  EXPECT_EQ(edge_of("set-nx-px", "data-loss").violated, 10u);
  EXPECT_EQ(edge_of("redlock", "pause", 4).violated, 4u);
}

TEST(Envelope, IsTheSameForAnyNumberOfThreads) {
  EnvelopeOptions options;
  options.seeds = 6;
  options.hazards = {find_hazard("pause"), find_hazard("clock-step")};
  const std::string one = envelope_json({*envelope_of("set-nx-px", options)}, options.seeds);
  options.jobs = 3;
  EXPECT_EQ(envelope_json({*envelope_of("set-nx-px", options)}, options.seeds), one);
}

TEST(Envelope, ALockThatClaimsTooMuchIsWrong) {
  static const LockKind boastful = [] {
    LockKind kind = *find_lock_kind("set-nx-px");
    kind.name = "boastful";
    kind.assumptions = {};
    return kind;
  }();
  ASSERT_TRUE(find_lock_kind("boastful") != nullptr || add_lock_kind(boastful));
  EnvelopeOptions options;
  options.seeds = 3;
  options.hazards = {find_hazard("pause")};
  const auto envelope = envelope_of("boastful", options);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->edges.front().fit, Fit::wrong);
  EXPECT_TRUE(envelope->edges.front().refuting);
}

TEST(Envelope, PlansOfEveryHazardArePlayable) {
  for (const char* const lock : {"set-nx-px", "redlock", "etcd-mutex", "zookeeper-lock"}) {
    const auto contest = contest_of(lock);
    ASSERT_TRUE(contest) << lock;
    for (const Hazard& h : hazards()) {
      const auto struck = struck_by(*contest, h, h.magnitude == Magnitude::rate ? 1'000 : milliseconds(20).ns);
      EXPECT_FALSE(struck.empty());
      for (const Scenario& s : struck) {
        EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(Runner::compile(s))) << lock << ", " << h.name;
      }
    }
  }
}

// Half a lease stands in the middle of 1/64 … 4 leases: the axis is logarithmic.
TEST(Envelope, ThePictureHasBandsWhereTheFiguresAre) {
  Envelope e{.lock = "made-up", .lease = seconds(8), .has_lease = true, .edges = {}};
  HazardEdge edge;
  edge.hazard = find_hazard("pause");
  edge.seeds = edge.violated = edge.contended = 3;
  edge.edges = {seconds(8).ns / 64, seconds(8).ns / 2, seconds(8).ns * 8};
  edge.bound = seconds(8).ns * 8;
  edge.fit = Fit::wrong;
  edge.refuting = 7;
  e.edges = {edge};
  const std::string svg = envelope_svg({e});
  EXPECT_NE(svg.find("<g id=\"made-up\""), std::string::npos);
  EXPECT_NE(svg.find("<g class=\"wrong\""), std::string::npos);
  EXPECT_NE(svg.find("<rect class=\"claimed\" x=\"0.0\" width=\"110.0\""), std::string::npos) << "the whole axis";
  EXPECT_NE(svg.find("<rect class=\"in\" x=\"0.0\" width=\"110.0\""), std::string::npos) << "from its beginning on";
  EXPECT_NE(svg.find("<path class=\"median\" d=\"M61.1 0v12\"/>"), std::string::npos) << svg;  // 5 of 9 doublings
  EXPECT_NE(svg.find("wrong, seed 7</title>"), std::string::npos);
}

}  // namespace
}  // namespace picklock
