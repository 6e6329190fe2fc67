#include "checker/graph/event_graph.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/range/iterator_range.hpp>
#include <deque>
#include <limits>

namespace picklock {
namespace {

// Each edge carries its position in EventGraph::edges.
using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, std::size_t, boost::no_property,
                                               EventId, std::size_t>;

enum class Direction { along, against };

Csr csr_of(const EventGraph& graph, Direction direction) {
  std::vector<std::pair<EventId, EventId>> ends;
  std::vector<std::size_t> positions;
  ends.reserve(graph.edges.size());
  positions.reserve(graph.edges.size());
  for (const EventEdge& e : graph.edges) {
    const bool along = direction == Direction::along;
    ends.emplace_back(along ? e.from : e.to, along ? e.to : e.from);
    positions.push_back(positions.size());
  }
  return {boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), positions.begin(), graph.events};
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Shortest cycles through one event after the other, on one set of tables.
class CycleSearch {
 public:
  CycleSearch(const EventGraph& graph, const Csr& csr, const std::vector<std::size_t>& component)
      : graph_(graph),
        csr_(csr),
        component_(component),
        length_(graph.events, kNone),
        reached_by_(graph.events, kNone) {}

  // Looks for a cycle through `start` that is shorter than `bound`.
  bool through(EventId start, std::size_t bound, std::vector<std::size_t>& cycle) {
    for (const EventId e : touched_) length_[e] = reached_by_[e] = kNone;
    touched_.clear();
    closing_ = kNone;
    closing_length_ = bound;
    reach(start, 0, kNone);
    std::deque<EventId> queue{start};  // ascending by length: passages to the front
    while (!queue.empty()) {
      const EventId at = queue.front();
      queue.pop_front();
      const std::size_t so_far = length_[at];
      if (so_far >= closing_length_) break;
      for (const auto& edge : boost::make_iterator_range(boost::out_edges(at, csr_))) {
        const std::size_t position = csr_[edge];
        const EventEdge& e = graph_.edges[position];
        const std::size_t length = so_far + (e.passage ? 0 : 1);
        if (component_[e.to] != component_[start] || length >= closing_length_) continue;
        if (e.to == start) {
          closing_ = position;
          closing_length_ = length;
        } else if (length < length_[e.to]) {
          reach(e.to, length, position);
          e.passage ? queue.push_front(e.to) : queue.push_back(e.to);
        }
      }
    }
    if (closing_ == kNone) return false;
    cycle.assign(1, closing_);
    for (EventId at = graph_.edges[closing_].from; at != start;) {
      cycle.push_back(reached_by_[at]);
      at = graph_.edges[reached_by_[at]].from;
    }
    std::reverse(cycle.begin(), cycle.end());
    return true;
  }

  [[nodiscard]] std::size_t length() const { return closing_length_; }

 private:
  void reach(EventId e, std::size_t length, std::size_t by) {
    if (length_[e] == kNone) touched_.push_back(e);
    length_[e] = length;
    reached_by_[e] = by;
  }

  const EventGraph& graph_;
  const Csr& csr_;
  const std::vector<std::size_t>& component_;
  std::vector<std::size_t> length_, reached_by_;
  std::vector<EventId> touched_;
  std::size_t closing_ = kNone, closing_length_ = 0;
};

}  // namespace

std::vector<std::size_t> shortest_cycle(const EventGraph& graph) {
  const Csr csr = csr_of(graph, Direction::along);
  std::vector<std::size_t> component(graph.events);
  const std::size_t components = boost::strong_components(
      csr, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, csr)));
  std::vector<std::uint32_t> size(components);
  for (const std::size_t c : component) ++size[c];
  std::vector<bool> loop(graph.events);
  for (const EventEdge& e : graph.edges) {
    if (e.from == e.to) loop[e.from] = true;
  }

  CycleSearch search(graph, csr, component);
  std::vector<std::size_t> best, found;
  std::size_t bound = kNone;
  for (EventId e = 0; e < graph.events; ++e) {
    if (size[component[e]] == 1 && !loop[e]) continue;
    if (!search.through(e, bound, found)) continue;
    best = found;
    bound = search.length();
    if (bound == 0) break;
  }
  return best;
}

std::vector<bool> causes_of(const EventGraph& graph, std::span<const EventId> ends) {
  const Csr csr = csr_of(graph, Direction::against);
  std::vector<boost::default_color_type> colours(graph.events, boost::white_color);
  const auto colour = boost::make_iterator_property_map(colours.begin(), boost::get(boost::vertex_index, csr));
  boost::queue<EventId> queue;
  for (const EventId end : ends) {
    if (colours[end] != boost::white_color) continue;
    boost::breadth_first_visit(csr, end, queue, boost::default_bfs_visitor(), colour);
  }
  std::vector<bool> causes(graph.events);
  for (EventId e = 0; e < graph.events; ++e) causes[e] = colours[e] != boost::white_color;
  return causes;
}

}  // namespace picklock
