#include "faults/loss.hpp"

namespace picklock {

void LossOptions::fields(FieldVisitor& v) {
  v.field(kFromField, from);
  v.field(kToField, to);
  v.field({.name = "share-ppm", .help = "number of lost segments per million", .least = 0, .most = 1'000'000},
          share_ppm);
  v.field({.name = "lasts", .help = "duration; none: until the heal phase", .least = 0}, lasts);
}

std::unique_ptr<ArmedFault> arm_fault(const LossOptions& options, PlanNames& names) {
  NetworkRule rule;
  rule.fate = Fate::drop;
  rule.out_of_million = options.share_ppm;
  return arm_rule(std::move(rule), options.from, options.to, options.lasts, names);
}

}  // namespace picklock
