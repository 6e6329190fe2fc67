// A lock service of a program's own, for tests of the seam (scenarios/services/service.hpp): one process with a table of rows.
//
// A client takes a row, which is its for good until it gives the row back: there is no lease.  With
// `defect = "takes-over"` the server gives a row that is taken to the next client that asks.
// Left out:  a disk: the table is empty after a restart, and the judge tells the owners as before.
#pragma once

#include "scenarios/services/service.hpp"

namespace picklock {

enum class ToyDefect : std::uint8_t { none, takes_over };
constexpr auto enum_names(ToyDefect) { return name_list("none", "takes-over"); }

// The [toy] table of a scenario.
struct ToySpec {
  std::int64_t spares = 0;  // machines without a task
  ToyDefect defect = ToyDefect::none;
  void fields(FieldVisitor& v);
};
template <>
inline constexpr std::string_view kServiceTable<ToySpec> = "toy";

namespace trace {
// a: hold, b: hash of the row
inline constexpr TraceKind toy_taken = kJournal | 1024, toy_given_back = kJournal | 1025;
}  // namespace trace

extern const ServiceKind kToyService;
extern const LockKind kToyLock;  // "toy-lock"

}  // namespace picklock
