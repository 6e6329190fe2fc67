#include "reports/run/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/width.hpp"
#include "checker/graph/dot.hpp"
#include "faults/fault_kinds.hpp"
#include "faults/journal.hpp"
#include "faults/partition.hpp"
#include "reports/run/story.hpp"
#include "scenarios/recording/journal.hpp"
#include "sim/core/world.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

class Teller {
 public:
  Teller(const RunRecord& record, const Finding& finding)
      : record_(record), slice_(slice_of(record, finding)), trace_(record.full_trace()) {
    story_.missing = missing_events(record, finding, slice_);
    for (const StoryLine& l : story_of(record.history(), context_of(record))) {
      if (l.index < slice_.record_of.size()) told_[slice_.record_of[l.index]].push_back(l.text);
    }
    for (const MessageOfTrace& m : slice_.causes.messages) arrival_[m.sent] = m.arrived;
    story_.property = info(finding.property).name;
    story_.records = slice_.size;
    story_.of_records = trace_.size();
  }

  SliceStory tell() {
    for (EventId id = 0; id < trace_.size(); ++id) {
      const TraceRecord& r = trace_[id];
      const bool inside = slice_.contains[id];
      if (r.kind == trace::segment_sent) {
        ++story_.of_messages;
        story_.messages += inside;
      }
      if (r.kind == trace::mark_passed && r.b == static_cast<std::uint64_t>(MarkSide::before))
        doing_[r.node] = {r.time, Mark{static_cast<std::uint16_t>(r.a)}};
      if (r.kind == trace::connection_opened) ends_[r.a] = {r.node, static_cast<NodeId>(r.b)};
      if (!inside) {
        if (r.kind == trace::fault_began)
          story_.outside.push_back(
              fmt::format("fault {} ({}) at {:.3f} ms", r.a + 1, fault_kinds()[r.b].name, ms(r.time)));
        continue;
      }
      const std::string text = words(id, r);
      if (!text.empty()) line(id, r, text);
    }
    connect();
    return std::move(story_);
  }

 private:
  std::string node(NodeId n) const { return n == 0 ? "network" : record_.machines()[n]; }

  std::string words(EventId id, const TraceRecord& r) const {
    using namespace trace;
    if (const auto found = told_.find(id); found != told_.end())
      return fmt::format("{}", fmt::join(found->second, "; "));
    switch (r.kind) {
      case segment_sent:
        return message(id, r);
      case belief_begins:
        return "believes that it holds";
      case segment_lost:
        return "what it sent is lost, and will be sent again";
      case fault_began:
        return fmt::format("fault {} is injected: {}", r.a + 1, fault(r));
      case process_paused:
        return "is paused";
      case process_continued:
        return "goes on";
      case process_killed:
        return "is killed";
      case process_panicked:
        return fmt::format("panics: {}", record_.last_words.at(r.b));
      case power_lost:
        return "loses power";
      case process_started:
        return r.a > 1 ? "starts again" : "";
      case host_frozen:
        return "freezes";
      case host_thawed:
        return "thaws";
      case clock_rate:
        return fmt::format("its clock now runs {} ppm fast", static_cast<std::int64_t>(r.b));
      case clock_step:
        return fmt::format("its wall clock steps by {:.3f} ms", ms(static_cast<std::int64_t>(r.b)));
      default:
        return "";
    }
  }

  // Its kind; of a partition also what it cuts.
  std::string fault(const TraceRecord& began) const {
    const std::string kind(fault_kinds()[began.b].name);
    const FaultPlan& plan = record_.scenario().faults;
    if (kind != "partition" || began.a >= plan.size() || !plan[began.a].options) return kind;
    return kind + ": " + in_words(plan[began.a].options.as<PartitionOptions>());
  }

  // Tells the receiver and the purpose: the verb that its sender had just begun, if it had.
  std::string message(EventId id, const TraceRecord& r) const {
    const auto ends = ends_.find(r.a);
    if (ends == ends_.end()) return "";
    const NodeId to = ends->second.first == r.node ? ends->second.second : ends->second.first;
    const auto arrived = arrival_.find(id);
    const std::string when = arrived == arrival_.end()
                                 ? ", which never arrives"
                                 : fmt::format(", there at {:.3f} ms", ms(trace_[arrived->second].time));
    const auto doing = doing_.find(r.node);
    const bool asks = doing != doing_.end() && doing->second.first == r.time;
    return fmt::format("→ {}{}{}", node(to), asks ? fmt::format(": {}", name_of(doing->second.second)) : "", when);
  }

  // The first machines are the service's.
  bool among_servers(const TraceRecord& r) const {
    const auto ends = ends_.find(r.a);
    const auto is_server = [&](NodeId n) { return n > 0 && n < record_.machines().size() && n <= servers_; };
    return ends != ends_.end() && is_server(ends->second.first) && is_server(ends->second.second);
  }

  void line(EventId id, const TraceRecord& r, std::string text) {
    place_[id] = story_.lines.size();
    const bool end = std::binary_search(slice_.ends.begin(), slice_.ends.end(), id);
    const std::string who = node(r.node);
    if (text.rfind(who + " ", 0) == 0) text.erase(0, who.size() + 1);
    story_.lines.push_back({r.time, who, std::move(text), end, r.kind == trace::segment_sent && among_servers(r)});
  }

  // Finds for each line the lines before it that lead to it without another line between.
  void connect() {
    std::vector<std::vector<EventId>> causes(trace_.size());
    for (const EventEdge& e : slice_.causes.graph.edges) {
      if (slice_.contains[e.from] && slice_.contains[e.to]) causes[e.to].push_back(e.from);
    }
    std::vector<std::set<std::size_t>> nearest(trace_.size());  // lines; of a record that is one: itself
    const auto visit = [&](EventId id) {
      std::set<std::size_t> before;
      for (const EventId cause : causes[id]) before.insert(nearest[cause].begin(), nearest[cause].end());
      const auto place = place_.find(id);
      if (place == place_.end()) {
        nearest[id] = std::move(before);
        return;
      }
      for (const std::size_t from : before) story_.edges.push_back({from, place->second});
      nearest[id] = {place->second};
    };
    // A fault is written down after the rules that it brings, and precedes them.
    for (EventId id = 0; id < trace_.size(); ++id) {
      if (slice_.contains[id] && causes[id].empty()) visit(id);
    }
    for (EventId id = 0; id < trace_.size(); ++id) {
      if (slice_.contains[id] && !causes[id].empty()) visit(id);
    }
  }

  const RunRecord& record_;
  const std::size_t servers_ = record_.cast->servers;
  Slice slice_;
  const std::vector<TraceRecord>& trace_;
  std::map<EventId, std::vector<std::string>> told_;
  std::map<EventId, EventId> arrival_;
  std::map<EventId, std::size_t> place_;
  std::map<NodeId, std::pair<std::int64_t, Mark>> doing_;
  std::map<std::uint32_t, std::pair<NodeId, NodeId>> ends_;
  SliceStory story_;
};

// The text without its times: what is repeated.
std::string shape(const SliceLine& l) { return l.who + " " + l.text.substr(0, l.text.find(", there at")); }

// Number of lines from `at` on that repeat the two before it, in turn.
std::size_t repeated(const std::vector<SliceLine>& lines, std::size_t at) {
  std::size_t n = 0;
  while (at >= 2 && at + n < lines.size() && !lines[at + n].end && shape(lines[at + n]) == shape(lines[at + n - 2]) &&
         lines[at + n].text.rfind("→", 0) == 0) {
    ++n;
  }
  return n - n % 2;
}

// Number of lines from `at` on that are messages among servers.
std::size_t chatter(const std::vector<SliceLine>& lines, std::size_t at) {
  std::size_t n = 0;
  while (at + n < lines.size() && lines[at + n].between_servers && !lines[at + n].end) ++n;
  return n;
}

}  // namespace

SliceStory slice_story(const RunRecord& record, const Finding& finding) { return Teller(record, finding).tell(); }

std::string slice_text(const SliceStory& s) {
  std::string out =
      fmt::format("what led to the violation of {}, and nothing else: {} of {} records, {} of {} messages\n",
                  s.property, s.records, s.of_records, s.messages, s.of_messages);
  std::size_t width = 7;
  for (const SliceLine& l : s.lines) width = std::max(width, columns_of(l.who));
  for (std::size_t i = 0; i < s.lines.size(); ++i) {
    constexpr std::size_t kShort = 4;
    if (const std::size_t n = repeated(s.lines, i); n >= kShort) {
      i += n - 1;
      out += fmt::format("  {:>12}    {:<{}}  (the same {} times more, until {:.3f} ms)\n", "", "", width, n / 2,
                         ms(s.lines[i].time));
      continue;
    }
    if (const std::size_t n = chatter(s.lines, i); n >= kShort) {
      i += n - 1;
      out += fmt::format("  {:>12}    {:<{}}  (the servers exchange {} messages, until {:.3f} ms)\n", "", "", width, n,
                         ms(s.lines[i].time));
      continue;
    }
    const SliceLine& l = s.lines[i];
    out += fmt::format("  {:>12.3f}  {} {}  {}\n", ms(l.time), l.end ? '*' : ' ', padded(l.who, width), l.text);
  }
  out += "  (ms; * the violation consists of it)\n";
  if (!s.missing.empty()) out += "events that failed to come before it:\n";
  for (const MissingEvent& m : s.missing)
    out += fmt::format("  {:>12.3f}    {}  {}\n", ms(m.since), padded(m.who, width), m.text);
  if (!s.outside.empty()) out += fmt::format("not part of it: {}\n", fmt::join(s.outside, ", "));
  return out;
}

std::string slice_dot(const SliceStory& s) {
  std::vector<DotVertex> vertices;
  for (const SliceLine& l : s.lines)
    vertices.push_back({fmt::format("{:.3f} ms\n{}", ms(l.time), l.text), l.who, l.end});
  std::vector<DotEdge> edges;
  for (const SliceEdge& e : s.edges) edges.push_back({e.from, e.to, "", s.lines[e.from].end && s.lines[e.to].end});
  return to_dot("slice", vertices, edges);
}

}  // namespace picklock
