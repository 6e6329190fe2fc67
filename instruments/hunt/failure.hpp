// The failure of a run: what tells one failure from another.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "checker/properties/assumptions.hpp"
#include "checker/properties/property.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/run/result.hpp"

namespace picklock {

struct Failure {
  Property property{};
  std::string lock{};       // name of the lock
  std::string parties{};    // parties of the proving holds: "two clients", "a reader and a writer of one machine"
  std::string right_end{};  // end of the right that it disregards (instruments/hunt/right.hpp)
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

// The failure that a violated finding proves, in a run of this scenario.
Failure failure_of(const Finding& finding, const RunResult& result, const Scenario& scenario);

// Is `after` the same failure as `before`, with no assumption broken that was kept?
bool same_failure(const Failure& before, const Failure& after);

// "pauses-shorter-than, no-kills"; "none"
std::string print_broken(const Failure& failure);

}  // namespace picklock
