#include "scenarios/run/slice.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "base/hash.hpp"
#include "faults/fault_kinds.hpp"
#include "faults/journal.hpp"
#include "sim/core/network.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr EventId kNobody = ~EventId{0};

class GraphMaker {
 public:
  GraphMaker(std::span<const TraceRecord> trace, std::size_t nodes) : trace_(trace), nodes_(nodes) {
    made_.graph.events = static_cast<std::uint32_t>(trace.size());
  }

  CausalGraph make() {
    for (EventId id = 0; id < made_.graph.events; ++id) see(id, trace_[id]);
    return std::move(made_);
  }

 private:
  struct Node {
    EventId last = kNobody;  // the last event of its process
    bool stopped = false;
    std::vector<EventId> buffered;  // arrived while it was stopped
    std::vector<EventId> news;      // causes of the silence in its waits
  };
  struct Connection {
    NodeId from = 0, to = 0;
    NodeId other(NodeId n) const { return n == from ? to : from; }
  };
  struct Request {
    NodeId from = 0, to = 0;
    std::uint32_t connection = 0;
  };
  struct Rule {
    EventId record = 0;
    bool delays = true;  // true: delays or holds; false: only drops
  };
  using Wire = std::tuple<std::uint32_t, NodeId, std::uint64_t>;  // connection, sender, call

  void edge(EventId from, EventId to, Because because) {
    made_.graph.edges.push_back({from, to, static_cast<std::uint8_t>(because), false});
  }

  void see(EventId id, const TraceRecord& r) {
    using namespace trace;
    if (r.kind == connection_opened) connections_[r.a] = {r.node, static_cast<NodeId>(r.b)};
    if (r.kind == rule_changed) return rule(id, r);
    if (r.node == 0 || r.node >= nodes_.size()) {
      if (r.kind == fault_began) fault(id, r);
      return;
    }
    if (r.kind == segment_arrived) arrives(id, r);
    Node& n = nodes_[r.node];
    if (n.stopped && r.kind == segment_arrived) return n.buffered.push_back(id);
    in_process(id, n);
    switch (r.kind) {
      case segment_sent:
        return sent(id, r);
      case segment_lost:
        for (const auto& [rule, what] : rules_) edge(what.record, id, Because::rule);
        return tell_those_who_wait(id, [&](const Request& q) { return q.connection == r.a; });
      case process_paused:
      case host_frozen:
        n.stopped = true;
        return absent(id, r.node);
      case process_killed:
      case process_panicked:
      case power_lost:
        n.buffered.clear();
        return absent(id, r.node);
      case process_continued:
      case host_thawed:
        n.stopped = false;
        for (const EventId e : n.buffered) edge(e, id, Because::process);
        n.buffered.clear();
        return;
      case process_started:
        n.stopped = false;
        return;
      default:
        return;
    }
  }

  void in_process(EventId id, Node& n) {
    if (n.last != kNobody) edge(n.last, id, Because::process);
    for (const EventId e : n.news) edge(e, id, Because::silence);
    n.news.clear();
    n.last = id;
  }

  // A delay or a hold leaves no record of its own; a drop does.
  void fault(EventId id, const TraceRecord& r) {
    const std::string_view kind = fault_kinds()[r.b].name;
    for (auto& [rule, what] : rules_) {
      if (what.record < news_of_rules_ || trace_[what.record].time != r.time) continue;
      what.delays = kind != "partition" && kind != "loss";
      edge(id, what.record, Because::rule);
    }
    news_of_rules_ = id;
  }
  void rule(EventId id, const TraceRecord& r) {
    if (r.b != 0) {
      rules_[r.a] = {id, true};
    } else {
      rules_.erase(r.a);
    }
  }

  // Messages sent on this wire that did not arrive yet; the first of the kind that arrives is it.
  void sent(EventId id, const TraceRecord& r) {
    under_way_[{r.a, r.node, r.b}].push_back(id);
    for (const auto& [rule, what] : rules_) {
      if (what.delays) delayed_by_[id].push_back(what.record);
    }
    const auto c = connections_.find(r.a);
    if (r.b == 0 || c == connections_.end()) return;
    requests_.emplace(r.b, Request{r.node, c->second.other(r.node), r.a});  // the answer changes nothing
  }

  void arrives(EventId id, const TraceRecord& r) {
    const auto c = connections_.find(r.a);
    if (c == connections_.end()) return;
    const auto wire = under_way_.find({r.a, c->second.other(r.node), r.b});
    if (wire == under_way_.end()) return;
    const bool data = r.c == static_cast<std::uint64_t>(SegmentKind::data);
    const auto is_it = [&](EventId sent) {
      const std::uint64_t hash = trace_[sent].c;  // hash of the body, and the kind
      if (!data) return hash == (hash_bytes("") ^ r.c);
      return (hash ^ r.c) != hash_bytes("") || r.b != 0;
    };
    const auto found = std::find_if(wire->second.begin(), wire->second.end(), is_it);
    if (found == wire->second.end()) return;
    edge(*found, id, Because::message);
    made_.messages.push_back({*found, id});
    if (const auto delayed = delayed_by_.find(*found); delayed != delayed_by_.end()) {
      for (const EventId rule : delayed->second) edge(rule, id, Because::rule);
    }
    wire->second.erase(found);
    const auto request = requests_.find(r.b);
    if (r.b != 0 && request != requests_.end() && request->second.from == r.node) requests_.erase(request);
  }

  void absent(EventId id, NodeId node) {
    tell_those_who_wait(id, [&](const Request& q) { return q.to == node; });
  }
  template <class Which>
  void tell_those_who_wait(EventId id, Which which) {
    for (const auto& [call, request] : requests_) {
      if (which(request)) nodes_[request.from].news.push_back(id);
    }
  }

  std::span<const TraceRecord> trace_;
  std::vector<Node> nodes_;
  std::map<std::uint32_t, Connection> connections_;
  std::map<std::uint32_t, Rule> rules_;  // rules in force
  EventId news_of_rules_ = 0;
  std::map<Wire, std::deque<EventId>> under_way_;
  std::map<EventId, std::vector<EventId>> delayed_by_;
  std::map<std::uint64_t, Request> requests_;  // unanswered requests; key: call
  CausalGraph made_;
};

// The places of the journal's records in the full trace.
std::vector<EventId> places_of_journal(const std::vector<TraceRecord>& full) {
  std::vector<EventId> places;
  for (EventId id = 0; id < full.size(); ++id) {
    if ((full[id].kind & kJournal) != 0) places.push_back(id);
  }
  return places;
}

}  // namespace

CausalGraph causal_graph(std::span<const TraceRecord> trace, std::size_t nodes) {
  return GraphMaker(trace, nodes).make();
}

Slice slice_of(const RunRecord& record, const Finding& finding) {
  const std::vector<TraceRecord>& full = record.full_trace();
  const std::vector<std::string>& names = record.machines();
  Slice slice;
  slice.causes = causal_graph(full, names.size());
  const std::vector<EventId> journal = places_of_journal(full);
  for (const std::uint32_t place : record.recording->sources) {
    slice.record_of.push_back(place < journal.size() ? journal[place] : 0);
  }

  const History& h = record.history();
  const auto ends_a_belief = [&](std::uint32_t index) {
    return std::any_of(h.beliefs.begin(), h.beliefs.end(),
                       [&](const BeliefEvent& b) { return b.index == index && b.end != BeliefEnd::none; });
  };
  EventId last = 0;
  for (const std::uint32_t index : finding.witness.all_events()) {
    // The ends of overlapping beliefs bound the overlap: by then it has happened.
    if (index >= slice.record_of.size() || ends_a_belief(index)) continue;
    slice.ends.push_back(slice.record_of[index]);
    last = std::max(last, slice.record_of[index]);
  }
  if (slice.ends.empty()) last = full.empty() ? 0 : static_cast<EventId>(full.size() - 1);
  for (const HoldId hold : finding.witness.all_holds()) {
    const std::string_view client = h.names.view(h.holds[hold].client);
    for (EventId id = last + 1; id-- > 0;) {
      if (id >= full.size() || full[id].node >= names.size() || names[full[id].node] != client) continue;
      if (full[id].kind == trace::segment_arrived) continue;  // perhaps not seen yet
      slice.ends.push_back(id);
      break;
    }
  }
  std::sort(slice.ends.begin(), slice.ends.end());
  slice.ends.erase(std::unique(slice.ends.begin(), slice.ends.end()), slice.ends.end());
  slice.contains = causes_of(slice.causes.graph, slice.ends);
  slice.size = static_cast<std::size_t>(std::count(slice.contains.begin(), slice.contains.end(), true));
  return slice;
}

}  // namespace picklock
