// The aim of a hunt: the failures that count, and a twin in which the same plan must do no harm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/property.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

struct Aim {
  std::vector<Property> properties{Property::mutual_exclusion};  // properties of which any violation counts
  bool promised_alone = false;  // true: counts only where the lock promises it of such a run (scenarios/run/claims.hpp)
  // A run that ends too early to decide something is played again with a settle phase that is long enough.
  bool plays_on = false;
  bool within_assumptions = false;  // true: counts only if no assumption of the lock is broken
  // Counts only if this one is broken, and no other but that beliefs lasted too long, which most of the others entail.
  std::optional<AssumptionKind> beyond{};
  struct Twin {
    std::string name;  // "paused_holder/fenced", or the settings that make it
    Scenario scenario;
  };
  std::optional<Twin> twin{};  // twin on which the property must hold with the same plan and seed
};

// The kinds of faults that can break this assumption; none: only work and options can.
std::vector<std::string> kinds_that_break(AssumptionKind kind);

// The scenario expects the properties of this aim to hold: some are judged only where they are expected.
void demand(Scenario& drawn, const Aim& aim);

// The twin of a scenario that a hunt drew around `base`: lock, servers, storage and workload are the twin's where its
// scenario differs from the base, all else is the drawn scenario's.
Scenario twin_of(const Scenario& drawn, const Scenario& base, const Scenario& twin);

// Reasons why a hunt cannot tell these two apart, in words; empty: it can.
std::string no_twin(const Scenario& base, const Scenario& twin);

}  // namespace picklock
