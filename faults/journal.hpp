// Records of faults in the trace.  Kinds of faults: 160 to 167.
#pragma once

#include <span>

#include "sim/core/trace.hpp"

namespace picklock::trace {

inline constexpr TraceKind fault_began = kJournal | 160,  // a: index in the plan, b: kind, c: Injection
    fault_ended = kJournal | 161;                         // a: index in the plan, b: kind
std::span<const TraceKindInfo> fault_trace_kinds();

}  // namespace picklock::trace
