#include "reports/run/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <utility>

#include "base/printable.hpp"
#include "base/shorten.hpp"
#include "base/text.hpp"
#include "faults/hold.hpp"
#include "faults/names.hpp"
#include "reports/run/story.hpp"
#include "sim/core/world.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

constexpr std::size_t kLongestWords = 240;

// Contents of messages: their bodies in words; else the verb that the sender had begun. And what followed where they
// arrived.
class Contents {
 public:
  explicit Contents(const RunRecord& record) : record_(record), bodies_(record.bodies) {
    const std::span<const TraceRecord> journal = record.journal();
    const std::vector<std::uint32_t>& sources = record.recording->sources;
    for (const StoryLine& l : story_of(record.history())) {
      if (l.index >= sources.size() || sources[l.index] >= journal.size()) continue;
      const TraceRecord& r = journal[sources[l.index]];
      followed_[{r.node, r.time}].push_back(l.text);
    }
  }

  void see(const TraceRecord& r) {
    if (r.kind == trace::mark_passed && r.b == static_cast<std::uint64_t>(MarkSide::before))
      doing_[r.node] = {r.time, Mark{static_cast<std::uint16_t>(r.a)}};
  }
  // Records segment-sent come in the order of the bodies.
  std::string sent(const TraceRecord& r, NodeId to) {
    const std::string_view body = place_ < bodies_.size() ? std::string_view(bodies_[place_]) : std::string_view();
    ++place_;
    const auto known = verbs_.find(r.b);
    const bool answers = r.b != 0 && known != verbs_.end() && known->second.first != r.node;
    const std::string words = to == 0 || body.empty() ? "" : words_of_message(*record_.cast, r.node, to, body, answers);
    const std::string told = printable(shorten(words, kLongestWords));
    if (answers) {
      const std::string& verb = known->second.second;
      const std::string head = verb.empty() ? "answer" : "answer to " + verb;
      return words.empty() ? (verb.empty() ? "" : head) : head + ": " + told;
    }
    const std::string verb = words.empty() ? begun(r) : printable(words.substr(0, words.find(' ')));
    if (r.b != 0) verbs_[r.b] = {r.node, verb};
    return words.empty() ? verb : told;
  }
  // Complete when the whole run has been seen.
  std::string followed(const MessageArrow& m) const {
    const auto found = followed_.find({m.to, m.arrived});
    if (m.fate == MessageFate::lost || m.fate == MessageFate::never_arrived || found == followed_.end()) return "";
    return fmt::format("then {}", fmt::join(found->second, "; "));
  }

 private:
  // The verb of a request that has no other words.
  std::string begun(const TraceRecord& sent) const {
    const auto doing = doing_.find(sent.node);
    const bool now = sent.b != 0 && doing != doing_.end() && doing->second.first == sent.time;
    return now ? std::string(name_of(doing->second.second)) : "";
  }

  const RunRecord& record_;
  const std::vector<std::string>& bodies_;
  std::size_t place_ = 0;
  std::map<std::pair<NodeId, std::int64_t>, std::vector<std::string>> followed_;
  std::map<NodeId, std::pair<std::int64_t, Mark>> doing_;
  std::map<std::uint64_t, std::pair<NodeId, std::string>> verbs_;  // sender and request; key: call
};

// Both ends of each connection; 0 is an unknown end.
class Ends {
 public:
  explicit Ends(const std::vector<TraceRecord>& trace) {
    for (const TraceRecord& r : trace) {
      if (r.kind == trace::connection_opened) {
        ends_[r.a] = {r.node, static_cast<NodeId>(r.b)};
      } else if (r.kind == trace::segment_sent || r.kind == trace::segment_arrived) {
        auto& [first, second] = ends_[r.a];
        if (first == 0 || first == r.node) {
          first = r.node;
        } else {
          second = r.node;
        }
      }
    }
  }
  NodeId other(std::uint32_t connection, NodeId node) const {
    const auto found = ends_.find(connection);
    if (found == ends_.end()) return 0;
    const auto& [first, second] = found->second;
    return first == node ? second : first;
  }

 private:
  std::map<std::uint32_t, std::pair<NodeId, NodeId>> ends_;
};

// Faults of the kind "hold" while they last, with the links that they hold.
class Holds {
 public:
  Holds(const RunRecord& record, const std::vector<FaultSpan>& faults) {
    PlanNames names(std::span(record.machines()).subspan(1));
    for (const FaultSpan& f : faults) {
      const Fault& fault = record.scenario().faults[f.fault];
      if (fault.kind != "hold") continue;
      const HoldOptions options = fault.options ? fault.options.as<HoldOptions>() : HoldOptions{};
      all_.push_back({names.nodes("from", options.from), names.nodes("to", options.to), f.from, f.until});
    }
  }
  bool held(const MessageArrow& m) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Held& h) {
      return h.from[m.from] && h.to[m.to] && m.sent >= h.begin && m.sent < h.end && m.arrived >= h.end;
    });
  }

 private:
  struct Held {
    NodeSet from, to;
    std::int64_t begin = 0, end = 0;
  };
  std::vector<Held> all_;
};

// Marks what was held, and what took long.
void judge_lengths(const Holds& holds, std::vector<MessageArrow>& all) {
  constexpr std::int64_t kTimes = 10, kLeast = 1'000'000;
  std::vector<std::int64_t> lengths;
  for (const MessageArrow& m : all) {
    if (m.fate == MessageFate::arrived) lengths.push_back(m.arrived - m.sent);
  }
  if (lengths.empty()) return;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const std::int64_t usual = *middle;
  for (MessageArrow& m : all) {
    const std::int64_t length = m.arrived - m.sent;
    if (m.fate != MessageFate::arrived) continue;
    if (holds.held(m)) {
      m.fate = MessageFate::held;
    } else if (length > kTimes * usual && length > usual + kLeast) {
      m.fate = MessageFate::late;
    }
  }
}

// One end of a connection receives in order what the other sends.
class Messages {
 public:
  explicit Messages(const RunRecord& record) : trace_(record.full_trace()), ends_(trace_), contents_(record) {}

  std::vector<MessageArrow> find(const Holds& holds) {
    for (const TraceRecord& r : trace_) see(r);
    for (const auto& [wire, waiting] : under_way_) {
      for (const UnderWay& w : waiting) {
        if (w.losses > 0) continue;  // each of them is an arrow
        all_.push_back(w.message);
        all_.back().fate = MessageFate::never_arrived;
      }
    }
    judge_lengths(holds, all_);
    for (MessageArrow& m : all_) {
      const std::string then = contents_.followed(m);
      m.carries += (m.carries.empty() || then.empty() ? "" : "\n") + then;
    }
    std::erase_if(all_, [](const MessageArrow& m) { return m.from == 0 || m.to == 0; });
    std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.arrived < b.arrived; });
    return std::move(all_);
  }

 private:
  struct UnderWay {
    MessageArrow message;
    std::size_t losses = 0;  // losses of its connection since it was sent
  };

  void see(const TraceRecord& r) {
    contents_.see(r);
    const NodeId other = ends_.other(r.a, r.node);
    if (r.kind == trace::segment_sent) {
      under_way_[{r.a, r.node}].push_back({{r.node, other, r.time, r.time, {}, contents_.sent(r, other)}});
    } else if (r.kind == trace::segment_arrived) {
      auto& sent = under_way_[{r.a, other}];
      if (sent.empty()) return;
      MessageArrow& m = all_.emplace_back(std::move(sent.front().message));
      sent.pop_front();
      m.arrived = r.time;
    } else if (r.kind == trace::segment_lost) {
      auto& waiting = under_way_[{r.a, r.node}];
      all_.push_back({r.node, other, r.time, r.time, MessageFate::lost, waiting.empty() ? "" : lost_of(r, waiting)});
      for (UnderWay& w : waiting) ++w.losses;
    }
  }

  // The first attempt is of what was sent at this instant, a later one of what is first in line.
  static std::string lost_of(const TraceRecord& r, const std::deque<UnderWay>& waiting) {
    return (r.b == 0 ? waiting.back() : waiting.front()).message.carries;
  }

  const std::vector<TraceRecord>& trace_;
  const Ends ends_;
  Contents contents_;
  std::map<std::pair<std::uint32_t, NodeId>, std::deque<UnderWay>> under_way_;  // key: connection and sender
  std::vector<MessageArrow> all_;
};

}  // namespace

std::vector<MessageArrow> messages_of(const RunRecord& record, const std::vector<FaultSpan>& faults) {
  return Messages(record).find(Holds(record, faults));
}

}  // namespace picklock
