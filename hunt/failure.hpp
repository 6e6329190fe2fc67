// The failure of a run: what tells one failure from another.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/property.hpp"
#include "scenarios/file/scenario.hpp"

namespace picklock {

struct Failure {
  Property property{};
  std::vector<AssumptionKind> broken{};  // assumptions of the lock that the run broke, sorted
  auto operator<=>(const Failure&) const = default;
};

// The failure of a shrunk scenario with the faults that it needs: two findings with equal causes are one.
struct Cause {
  Failure failure;
  std::vector<std::string> faults{};  // "pause of a client", in order
  auto operator<=>(const Cause&) const = default;
};

Cause cause_of(const Failure& failure, const Scenario& shrunk);

// "pauses-shorter-than, no-kills"; "none"
std::string print_broken(const Failure& failure);

}  // namespace picklock
