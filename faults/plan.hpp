// A fault plan: the faults of a run, and their instants.
//
// A plain value.  Its text forms (TOML in a scenario, one line in a message: faults/text.hpp) follow
// from the fields; what a kind of fault does stands in its own file, and in the table of
// faults/fault_kinds.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/task/fields.hpp"

namespace picklock {

// A fault is injected once: at an instant, or when something happens for the `count`-th time.
struct Trigger {
  std::optional<Law> at{};  // true time since the start of the run; without `on` either: at once
  // "a enters": node a passes this event.  "before a writes", "after a set": its verbs.
  // "a" may be a thread of a machine, "jvm.renewal" any task of it by name.
  std::string on{};
  std::int64_t count = 1;  // number of the occurrence of `on` that counts
  Duration offset{};       // true time after `on`

  void fields(FieldVisitor& v);
  bool operator==(const Trigger&) const = default;
};

struct Fault {
  std::string kind{};  // a name of the table
  Trigger trigger{};
  AnyOptions options{};  // options of that kind; absent: its defaults

  // Visits the fields of the trigger, then of the options.  (The options depend on the kind.)
  void fields(FieldVisitor& v);
  bool operator==(const Fault&) const = default;
};

using FaultPlan = std::vector<Fault>;

}  // namespace picklock
