// Generators of scenarios: clients, options and faults around one that is given.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>

#include "faults/fault_space.hpp"
#include "generators/simplify.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

// What faults may strike in this scenario: its machines and the ways between them, the lease of its
// lock, and the marks and deadlines that one run without any faults shows to be in play.  Of a
// scenario that does not compile only what it says of itself.
FaultSpace fault_space_of(const Scenario& scenario);

// One to four clients "a", "b", …, whose holds, pauses and patience lie near the deadlines.
rc::Gen<std::vector<ClientSpec>> arbitrary_clients(const FaultSpace& space);

// The scenario with other clients, other options of its lock and its servers, other latencies, and
// a plan of faults; its kinds, phases and budget are kept, its expectations and overrides are not.
// Every one compiles.  Shrinks by simplify().
rc::Gen<Scenario> arbitrary_scenario(const Scenario& base);

struct ScenarioComplexity {
  std::int64_t clients = 0;
  Complexity plan, rest;
  auto operator<=>(const ScenarioComplexity&) const = default;
};
ScenarioComplexity complexity(const Scenario& scenario);

// Fewer clients (and none of the faults that name those who are gone), a simpler plan, simpler
// clients, simpler options; at least one client stays.  Every one is less by `complexity`.
std::vector<Scenario> simplify(const Scenario& scenario);

void showValue(const Scenario& scenario, std::ostream& out);  // as its file

}  // namespace picklock
