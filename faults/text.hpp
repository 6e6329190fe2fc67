// Faults as one line each, in messages and on the command line:
//
//   pause node=a lasts=200ms on="a enters" count=2
//
// Only what differs from the default is written.  In quotes, `\` keeps the next character as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faults/names.hpp"
#include "faults/plan.hpp"

namespace picklock {

std::string to_text(const Fault& fault);
std::string to_text(const FaultPlan& plan);  // one line each

// Reads the text that to_text() writes, or describes the mistake in it.  ArmedPlan checks whether the nodes
// in it exist.
std::optional<PlanError> parse_fault(std::string_view line, Fault& fault);
std::optional<PlanError> parse_plan(std::string_view text,
                                    FaultPlan& plan);  // empty lines are fine

}  // namespace picklock
