// A graph of events: plain ids, and edges that say which event precedes which.
//
// A recorder of events hands over numbers; what they stand for, and what the reasons mean, stays
// with them.  An edge may be a *passage*: it connects, but does not count in the length of a path.
// An order with n² pairs (real time) so becomes 3n edges, see precedence.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace picklock {

using EventId = std::uint32_t;

struct EventEdge {
  EventId from = 0, to = 0;
  std::uint8_t reason = 0;  // a number that the maker of the graph chooses
  bool passage = false;     // true: does not count in the length of a path
  bool operator==(const EventEdge&) const = default;
};

struct EventGraph {
  std::uint32_t events = 0;      // number of events; their ids are 0 … events - 1
  std::vector<EventEdge> edges;  // edges in any order; parallel ones are allowed
};

// A cycle with the fewest edges that count, as positions in `edges`, each of which begins where the
// one before it ends; the first begins at the smallest such event.  Empty: there is no cycle.
// Among cycles of one length the one found first from the smallest event is taken.
//
// Strong components first (Tarjan 1972, Boost.Graph), then a search by length from every event of
// a component, cut off at the length of the best cycle so far: O(V + E) without a cycle, O(V·E) in
// the worst case for a component with one.  Meant for components up to some ten thousand events.
std::vector<std::size_t> shortest_cycle(const EventGraph& graph);

// For each event: does it lead to one of `ends`, by any number of edges?  The ends do.  O(V + E).
std::vector<bool> causes_of(const EventGraph& graph, std::span<const EventId> ends);

}  // namespace picklock
