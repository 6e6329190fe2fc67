#include "scenarios/recording/journal.hpp"

namespace picklock {

std::span<const TraceKindInfo> trace::journal_kinds() {
  static constexpr std::array<TraceKindInfo, 11> kKinds = {{
      {operation, "operation", "hold", "function, end, process", "local ns"},
      {operation_value, "operation-value", "object", "value", "token"},
      {belief_begins, "belief-begins", "hold", "", ""},
      {belief_ends, "belief-ends", "hold", "how", ""},
      {hold_requested, "hold-requested", "hold", "process", "lock, mode, kind"},
      {phase_begins, "phase-begins", "phase", "", ""},
      {write_acknowledged, "write-acknowledged", "hold", "version", "resource"},
      {write_requested, "write-requested", "hold", "version", "resource"},
      {kept_read_answered, "kept-read-answered", "hold", "version", "resource"},
      {kept_write_refused, "kept-write-refused", "hold", "version", "resource"},
      {refusal_swallowed, "refusal-swallowed", "hold", "", "resource"},
  }};
  return kKinds;
}

}  // namespace picklock
