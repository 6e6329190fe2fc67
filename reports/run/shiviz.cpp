#include "reports/run/shiviz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/printable.hpp"
#include "faults/fault_kinds.hpp"
#include "faults/journal.hpp"
#include "reports/run/story.hpp"
#include "scenarios/run/slice.hpp"
#include "sim/core/world.hpp"

namespace picklock {
namespace {

using VectorClock = std::map<NodeId, std::uint32_t>;

class ShivizLog {
 public:
  ShivizLog(const RunRecord& record)
      : record_(record),
        trace_(record.full_trace()),
        causes_(causal_graph(trace_, record.machines().size())),
        clocks_(trace_.size()) {
    std::vector<EventId> journal;
    for (EventId id = 0; id < trace_.size(); ++id) {
      if ((trace_[id].kind & kJournal) != 0) journal.push_back(id);
    }
    const std::vector<std::uint32_t>& sources = record.recording->sources;
    for (const StoryLine& l : story_of(record.history())) {
      if (l.index < sources.size() && sources[l.index] < journal.size())
        told_[journal[sources[l.index]]].push_back(l.text);
    }
    for (const MessageOfTrace& m : causes_.messages) sent_[m.arrived] = m.sent;
  }

  std::string write() {
    std::vector<std::vector<EventId>> causes(trace_.size());
    for (const EventEdge& e : causes_.graph.edges) causes[e.to].push_back(e.from);
    // A fault of the network is written down after the rules that it brings, and precedes them.
    std::vector<EventId> order;
    for (EventId id = 0; id < trace_.size(); ++id) order.push_back(id);
    std::stable_sort(order.begin(), order.end(), [&](EventId a, EventId b) { return rank(a) < rank(b); });
    for (const EventId id : order) see(id, causes[id]);
    return std::move(log_);
  }

 private:
  std::pair<std::int64_t, bool> rank(EventId id) const {
    return {trace_[id].time, trace_[id].kind != trace::fault_began || trace_[id].node != 0};
  }

  std::string host(NodeId node) const { return node == 0 ? "network" : record_.machines()[node]; }

  // Text of a record; empty: nothing is written, but its clock goes on.
  std::string words(EventId id, const TraceRecord& r) const {
    if (const auto told = told_.find(id); told != told_.end()) return fmt::format("{}", fmt::join(told->second, "; "));
    switch (r.kind) {
      case trace::segment_sent:
        return fmt::format("sends a message ({})", id);
      case trace::segment_arrived: {
        const auto sent = sent_.find(id);
        if (sent == sent_.end()) return "";
        return fmt::format("message ({}) of {} arrives", sent->second, host(trace_[sent->second].node));
      }
      case trace::segment_lost:
        return "what it sent is lost";
      case trace::process_paused:
        return "is paused";
      case trace::process_continued:
        return "goes on";
      case trace::host_frozen:
        return "freezes";
      case trace::host_thawed:
        return "thaws";
      case trace::process_killed:
        return "is killed";
      case trace::power_lost:
        return "loses power";
      case trace::process_started:
        return "starts";
      case trace::clock_step:
        return "its wall clock steps";
      case trace::clock_rate:
        return "the rate of its clock changes";
      case trace::fault_began:
        return fmt::format("fault: {} begins", fault_kinds()[r.b].name);
      case trace::fault_ended:
        return fmt::format("fault: {} ends", fault_kinds()[r.b].name);
      default:
        return "";
    }
  }

  void see(EventId id, const std::vector<EventId>& causes) {
    const TraceRecord& r = trace_[id];
    VectorClock& clock = clocks_[id];
    for (const EventId cause : causes) merge(clocks_[cause], clock);
    const std::string text = words(id, r);
    if (text.empty()) return;
    VectorClock& last = last_[r.node];  // arrivals for a stopped process are events of its machine
    merge(last, clock);
    clock[r.node] = last[r.node] + 1;
    last = clock;
    nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
    for (const auto& [node, count] : clock) numbers[host(node)] = count;
    log_ += fmt::format("{:.3f} ms {}\n{} {}\n", static_cast<double>(r.time) / 1e6, printable(text), host(r.node),
                        numbers.dump());
  }

  static void merge(const VectorClock& from, VectorClock& into) {
    for (const auto& [node, count] : from) into[node] = std::max(into[node], count);
  }

  const RunRecord& record_;
  const std::vector<TraceRecord>& trace_;
  const CausalGraph causes_;
  std::vector<VectorClock> clocks_;  // index: record
  std::map<NodeId, VectorClock> last_;
  std::map<EventId, std::vector<std::string>> told_;
  std::map<EventId, EventId> sent_;  // key: arrival
  std::string log_;
};

}  // namespace

std::string shiviz_log(const RunRecord& record) { return ShivizLog(record).write(); }

}  // namespace picklock
