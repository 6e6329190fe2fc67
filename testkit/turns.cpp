#include "testkit/turns.hpp"

#include <string>
#include <vector>

namespace picklock {
namespace {

// Bounds without faults: every second with long sections.
ScenarioBounds calm(std::uint64_t round, bool vary_options) {
  return {.mishaps = Mishaps::none,
          .options = vary_options,
          .topology = false,
          .operators = false,
          .abandons = false,
          .short_holds = true,
          .long_sections = round % 2 == 1};
}

// Bounds with faults, for one claim.
ScenarioBounds faulty(ClaimGroup claim, bool vary_options) {
  ScenarioBounds bounds = calm(0, vary_options);
  bounds.mishaps = Mishaps::within;
  bounds.topology = true;
  bounds.claim = claim;
  return bounds;
}

// Faults that keep a client away for a while, and then let it go on where it was.
const std::vector<std::string> kAway = {"pause", "freeze", "partition", "hold"};

// Sections outlast the lease, requests are given up early, and one or two faults come near the bounds.
ScenarioBounds near_the_bounds(ClaimGroup claim, bool vary_options) {
  ScenarioBounds bounds = faulty(claim, vary_options);
  bounds.plan = {.least = 1, .most = 2, .swarm = false};
  bounds.parts = 2;
  bounds.long_sections = bounds.short_timeouts = true;
  return bounds;
}

// Answers are late, and again and again nothing is renewed for a while although its holder works.
ScenarioBounds at_the_deadline(std::uint64_t round, bool vary_options) {
  ScenarioBounds bounds = near_the_bounds(ClaimGroup::deadlines, vary_options);
  bounds.plan = {.least = 3, .most = 6, .swarm = false};
  if (round % 4 != 3) bounds.plan.kinds = {"pause", "partition", "hold"};
  bounds.short_timeouts = round % 2 == 1;
  bounds.heeds_deadlines = bounds.slow_network = true;
  return bounds;
}

// Clients come back when their leases are over.
ScenarioBounds back_from_away(ClaimGroup claim, bool vary_options) {
  ScenarioBounds bounds = faulty(claim, vary_options);
  bounds.plan = {.least = 1, .most = 4, .swarm = false, .kinds = kAway};
  bounds.long_sections = true;
  return bounds;
}

// The claims whose own assumptions may leave faults without bounds.
std::vector<ClaimGroup> claims_beside_exclusion(const LockKind& kind, const Options& options) {
  const Claims& claims = kind.claims;
  std::vector<ClaimGroup> all;
  if (claims.releases_only_own) all = {ClaimGroup::releases, ClaimGroup::returns};
  if (renews(kind, options) && claims.renews_only_own) all.push_back(ClaimGroup::renewals);
  if (claims.token) all.push_back(ClaimGroup::tokens);
  if (all.empty()) all.push_back(ClaimGroup::exclusion);
  return all;
}

}  // namespace

ScenarioBounds bounds_in_turn(std::uint64_t number, const LockKind& kind, const Options& options, bool vary_options) {
  const std::uint64_t round = number / 8;
  const std::vector<ClaimGroup> others = claims_beside_exclusion(kind, options);
  switch (number % 8) {
    case 0:
      return calm(0, vary_options);
    case 4:
      return calm(1, vary_options);
    case 2:
      return back_from_away(others[round % others.size()], vary_options);
    case 5:
      return faulty(others[round % others.size()], vary_options);
    case 3:
    case 6:
      return near_the_bounds(ClaimGroup::exclusion, vary_options);
    case 7:
      return at_the_deadline(round, vary_options);
    default:
      return faulty(ClaimGroup::exclusion, vary_options);
  }
}

}  // namespace picklock
