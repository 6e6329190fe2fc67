#include "faults/plan.hpp"

namespace picklock {

void Trigger::fields(FieldVisitor& v) {
  v.field({.name = "at", .help = "instant of the run at which the fault is injected", .least = 0}, at);
  v.field(
      {.name = "on", .help = "event to wait for instead of a time: \"a enters\", \"before a writes\", \"after a set\""},
      on);
  v.field({.name = "count", .help = "fire on the n-th match of `on`", .least = 1, .most = 1'000'000'000}, count);
  v.field({.name = "offset", .help = "delay between the match of `on` and the fault", .least = 0}, offset);
}

void Fault::fields(FieldVisitor& v) {
  trigger.fields(v);
  options.fields(v);
}

}  // namespace picklock
