#include "instruments/hunt/usual.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "scenarios/file/lease.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

std::optional<Duration> lease_of(const Scenario& scenario) {
  const LockKind& kind = *find_lock_kind(scenario.lock.name);
  const auto lease = kind.lease == nullptr ? std::nullopt : kind.lease(*scenario.lock.options);
  if (!lease) return std::nullopt;
  return granted_lease(kind, scenario.services, *lease);
}

// The longest time for which the service named one hold as owner.
Duration longest_ownership(const History& history) {
  std::map<HoldId, std::int64_t> begun;
  std::int64_t longest = 0;
  for (const GrantEvent& e : history.grants) {
    if (e.change == GrantChange::begin) begun.emplace(e.hold, e.time);
    const auto own = begun.find(e.hold);
    if (own != begun.end()) longest = std::max(longest, e.time - own->second);
  }
  return {longest};
}

}  // namespace

LongSection long_section(const Scenario& scenario) {
  const std::optional<Duration> lease = lease_of(scenario);
  if (!lease || scenario.clients.empty()) return {};
  Scenario calm = scenario;
  calm.faults.clear();
  calm.clocks.clear();
  calm.links.clear();
  calm.clients.resize(1);
  ClientSpec& client = calm.clients.front();
  client.role = ClientRole::holder;
  client.locks.clear();
  client.start = {};
  client.hold = Law::constant(*lease * 3);
  client.rounds = 1;
  client.honours_deadline = false;
  calm.phases.load = std::max(calm.phases.least_load(), *lease * 4);
  const auto compiled = Runner::compile(calm);
  if (compiled.index() != 0) return {};
  const RunResult& run = std::get<0>(compiled)->run(1);
  const bool outlives = longest_ownership(*run.history) > Duration{lease->ns * 3 / 2};
  return {outlives, outlives && (run.happened & bit(Sometimes::renewal_happened)) != 0};
}

std::vector<Property> claims_to_judge(const Scenario& scenario) {
  std::vector<Property> claims = claimed_properties(*find_lock_kind(scenario.lock.name), *scenario.lock.options);
  const auto renewal = std::find(claims.begin(), claims.end(), Property::wrong_renewal);
  if (renewal != claims.end() && !long_section(scenario).renews) claims.erase(renewal);
  return claims;
}

void lengthen_sections(HuntSpace& space) {
  if (!long_section(space.base).outlives_lease) return;
  const Duration lease = *lease_of(space.base);
  ClientSpec& first = space.base.clients.front();
  first.hold = Law::constant(Duration{lease.ns * 5 / 2});
  first.rounds = 1;
  space.base.phases.load = std::max(space.base.phases.least_load(), lease * 4);
  space.longest_section = lease * 3;
  space.faults = fault_space_of(space.base);
}

}  // namespace picklock
