// The causal slice of a run: the events that led to a violation, and no others.
//
// Event i is record i of the run's full trace.  An event precedes another (Lamport 1978) if
//
//   process   both are of one process, whose tasks share its memory, in this order; what arrives for a
//             stopped process precedes its continuation, not what it did before
//   message   the one is the sending of a message, the other its arrival
//   rule      the one is a rule of the network coming into force, or the fault that brought it,
//             the other a segment that was lost, or that it delayed, meanwhile
//   silence   the one happened to the wait of a process for an answer (its request or the answer was
//             lost, the process that was to answer stopped), the other is what the process did next: that
//             an answer does not come is also news
//
// The slice of a violation is what precedes the events of its witness, and the state that the clients of
// its holds were in by then: that a client still believes may be due to what stopped it.  Two beliefs
// overlap when the second begins; how they end is not part of it.
//
// Coarser than it might be, never finer: which rule hit which segment, and which of a process's
// earlier steps mattered to a later one, the trace does not say, so all count.  Left out: the passing of time
// (a lease that ran out is part of the events that saw it), and that a process exists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/graph/event_graph.hpp"
#include "checker/properties/finding.hpp"
#include "scenarios/run/record.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

enum class Because : std::uint8_t { process, message, rule, silence };

struct MessageOfTrace {
  EventId sent = 0;
  EventId arrived = 0;
};

struct CausalGraph {
  EventGraph graph;                      // EventEdge::reason is a Because
  std::vector<MessageOfTrace> messages;  // messages that arrived, ascending by arrival
};

// `nodes`: how many there are, the world included.
CausalGraph causal_graph(std::span<const TraceRecord> trace, std::size_t nodes);

struct Slice {
  CausalGraph causes;
  std::vector<EventId> ends;       // events that make up the violation
  std::vector<bool> contains;      // index: record
  std::vector<EventId> record_of;  // index: event of the history; the record that it was made from
  std::size_t size = 0;            // number of records that it contains
};

// The run must have been recorded with full_trace; `finding` is one of its violations.
Slice slice_of(const RunRecord& record, const Finding& finding);

}  // namespace picklock
