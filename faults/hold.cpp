#include "faults/hold.hpp"

namespace picklock {

void HoldOptions::fields(FieldVisitor& v) {
  v.field(kFromField, from);
  v.field(kToField, to);
  v.field({.name = "lasts", .help = "duration until the held segments go on; none: until the heal phase", .least = 0},
          lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const HoldOptions& options, PlanNames& names) {
  NetworkRule rule;
  rule.fate = Fate::hold;
  return arm_rule(std::move(rule), options.from, options.to, options.lasts, names);
}

}  // namespace picklock
