#include "faults/delay.hpp"

namespace picklock {

void DelayOptions::fields(FieldVisitor& v) {
  v.field(kFromField, from);
  v.field(kToField, to);
  v.field({.name = "by", .help = "duration added to the latency of each segment", .least = 0}, by);
  v.field(
      {.name = "lasts", .help = "period in which sent segments are delayed; none: until the heal phase", .least = 0},
      lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const DelayOptions& options, PlanNames& names) {
  NetworkRule rule;
  rule.fate = Fate::delay;
  rule.delay = options.by;
  return arm_rule(std::move(rule), options.from, options.to, options.lasts, names);
}

}  // namespace picklock
