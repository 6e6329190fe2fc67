// Generators of scenarios: clients, options and faults around one that is given.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>
#include <optional>

#include "checker/properties/assumptions.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/generators/plan.hpp"
#include "scenarios/generators/simplify.hpp"
#include "scenarios/generators/space.hpp"
#include "scenarios/generators/tame.hpp"

namespace picklock {

enum class Mishaps : std::uint8_t {
  none,    // no faults, every clock right
  within,  // each fault stays below what the lock assumes: see scenarios/generators/tame.hpp
  any
};

// Bounds on what may differ from the given scenario.
struct ScenarioBounds {
  Mishaps mishaps = Mishaps::any;
  bool any_lock = false;                   // true: draws any lock; false: keeps the given one
  bool options = true;                     // true: varies options of lock, servers and storage
  bool topology = true;                    // replicas and sentinels
  bool operators = true;                   // clients that end others' holds by force
  bool abandons = true;                    // clients that walk away from an acquire in mid-flight
  bool clients = true;                     // their number and what each of them does
  bool network = true;                     // latencies, and clocks and links of single machines
  PlanShape plan{};                        // shape of the plan of faults
  std::optional<AssumptionKind> beyond{};  // the one assumption that may be broken with Mishaps::within
  bool short_holds = false;                // true: several sections fit into what the lock assumes of one
  // The claim to be broken, with Mishaps::within. A fault is bounded only by assumptions that this claim needs.
  ClaimGroup claim = ClaimGroup::exclusion;
  std::int64_t parts = kPartsOfABound;  // each fault takes at most 1/parts of a bound, with Mishaps::within
  // Sections of up to three leases, if the lock promises to renew its lease, or if clients stop at their deadlines.
  bool long_sections = false;
  bool heeds_deadlines = false;            // true: every client stops at the deadline that came with its grant
  bool slow_network = false;               // true: messages take up to a tenth of a lease, and up to 20 ms
  bool short_timeouts = false;             // true: requests time out early, so that late answers are given up
  std::optional<Duration> longest_hold{};  // longest section with short_holds, instead of a part of that
};

// One to four clients "a", "b", …, whose holds, pauses and patience lie near the deadlines: of a lock that
// has none but exclusive holds, not reentrant, of one name at a time.
rc::Gen<std::vector<ClientSpec>> arbitrary_clients(const FaultSpace& space);

// One of the scenarios that arbitrary_scenario draws, of the base's own lock, drawn where it stands (scenarios/generators/draw.hpp).
// `space` is fault_space_of(base).
Scenario scenario_around(const Scenario& base, FaultSpace space, const ScenarioBounds& bounds);

// The scenario with other clients, other options of its lock and its servers, other servers, latencies,
// clocks, and a plan of faults; its kinds, phases and budget are kept (the lock with Bounds::any_lock
// is not), its expectations and overrides are not.  Every one compiles.  Shrinks by simplify().
rc::Gen<Scenario> arbitrary_scenario(const Scenario& base, const ScenarioBounds& bounds = {});

struct ScenarioComplexity {
  std::int64_t clients = 0;
  std::int64_t machines = 0;  // machines of servers beside the lock's own, and those that clients share
  std::int64_t parts = 0;     // number of entries of locks, by force, clocks and links of their own
  Complexity plan, rest;
  auto operator<=>(const ScenarioComplexity&) const = default;
};
ScenarioComplexity complexity(const Scenario& scenario);

// Fewer clients and servers (and none of the faults that name those who are gone), a simpler plan,
// machines of their own, fewer and simpler locks, simpler clients, simpler options; at least one client stays.
// Every one is less by `complexity`.
std::vector<Scenario> simplify(const Scenario& scenario);

void showValue(const Scenario& scenario, std::ostream& out);  // writes the scenario's file

}  // namespace picklock
