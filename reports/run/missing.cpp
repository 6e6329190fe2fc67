#include "reports/run/missing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "sim/core/world.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

std::string instant(std::int64_t ns) { return fmt::format("{:.3f} ms", static_cast<double>(ns) / 1e6); }

class Absences {
 public:
  Absences(const RunRecord& record, const Finding& finding, const Slice& slice)
      : record_(record), h_(record.history()), trace_(record.full_trace()) {
    for (const HoldId hold : finding.witness.all_holds()) holds_.insert(hold);
    for (const EventId end : slice.ends) last_ = std::max(last_, end);
    // A liveness property is violated by what did not happen up to the end.
    const bool waits = std::all_of(holds_.begin(), holds_.end(), [&](HoldId hold) { return !believed(hold); });
    if (waits && !trace_.empty()) last_ = static_cast<EventId>(trace_.size() - 1);
    until_ = last_ < trace_.size() ? trace_[last_].time : 0;
  }

  std::vector<MissingEvent> find() {
    for (const HoldId hold : holds_) {
      if (hold >= h_.holds.size()) continue;
      if (believes(hold)) {
        renewal(hold);
        end_of_hold(hold);
      } else if (waits(hold)) {
        free_lock(hold);
      }
    }
    answers();
    std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
    return std::move(all_);
  }

 private:
  std::string client(HoldId hold) const { return std::string(h_.names.view(h_.holds[hold].client)); }
  std::string lock(HoldId hold) const { return std::string(h_.names.view(h_.holds[hold].lock)); }

  bool believed(HoldId hold) const {
    return std::any_of(h_.beliefs.begin(), h_.beliefs.end(), [&](const BeliefEvent& b) { return b.hold == hold; });
  }
  // True at the end of the records that are looked at.
  bool believes(HoldId hold) const {
    bool now = false;
    for (const BeliefEvent& b : h_.beliefs) {
      if (b.hold == hold && b.time <= until_) now = b.end == BeliefEnd::none;
    }
    return now;
  }
  const OperationEvent* asked(HoldId hold) const {
    const auto acquire = std::find_if(h_.operations.begin(), h_.operations.end(), [&](const OperationEvent& e) {
      return e.hold == hold && e.type == OperationType::invoke;
    });
    return acquire == h_.operations.end() ? nullptr : &*acquire;
  }
  bool waits(HoldId hold) const { return asked(hold) != nullptr && !believed(hold); }

  // The hold has been renewed before, and its lease ran out.
  void renewal(HoldId hold) {
    std::int64_t last = kNoTime, lease = kNoTime;
    for (const GrantEvent& g : h_.grants) {
      if (g.hold != hold || g.time > until_) continue;
      if (g.change == GrantChange::extend) last = g.time;
      if (g.change == GrantChange::released || g.change == GrantChange::forced) return;
      if (g.until != kNoTime) lease = g.until;
    }
    if (last == kNoTime || lease == kNoTime || lease > until_) return;
    all_.push_back({last, client(hold),
                    fmt::format("a renewal of its lease, which ran out at {}; the last was made at {}", instant(lease),
                                instant(last))});
  }

  void end_of_hold(HoldId hold) {
    const GrantEvent* end = nullptr;
    for (const GrantEvent& g : h_.grants) {
      if (g.hold != hold || g.time > until_) continue;
      if (g.change == GrantChange::begin) end = nullptr;
      if (g.change == GrantChange::end || g.change == GrantChange::forced) end = &g;
    }
    if (end == nullptr) return;
    all_.push_back({end->time, client(hold), fmt::format("the news that its hold on {} is over", lock(hold))});
  }

  // The lock has become free while the hold waits, and has no owner.
  void free_lock(HoldId hold) {
    std::set<HoldId> owners;
    std::int64_t free_since = kNoTime;
    for (const GrantEvent& g : h_.grants) {
      if (g.hold >= h_.holds.size() || h_.holds[g.hold].lock != h_.holds[hold].lock || g.time > until_) continue;
      if (h_.names.view(h_.holds[g.hold].client) == "probe") break;
      if (g.change == GrantChange::begin) owners.insert(g.hold);
      const bool over =
          g.change == GrantChange::end || g.change == GrantChange::released || g.change == GrantChange::forced;
      if (over && owners.erase(g.hold) > 0 && owners.empty()) free_since = g.time;
    }
    if (!owners.empty() || free_since == kNoTime || free_since < asked(hold)->time) return;
    all_.push_back({free_since, client(hold),
                    fmt::format("the news that {} is free, as it is since {}", lock(hold), instant(free_since))});
  }

  struct Request {
    NodeId from = 0, to = 0;
    std::int64_t sent = 0;
    std::string verb{};
    bool arrived = false, answer_lost = false;
  };

  // Requests of the holds' clients that were not answered by then, because they or their answers were lost, or the
  // machine that was asked was down; those of one client to one machine together.
  void answers() {
    constexpr std::int64_t kUnderWay = 10'000'000;  // a younger one may still be answered
    const std::map<std::uint64_t, Request> open = unanswered();
    struct Several {
      std::size_t requests = 0, answered = 0, lost = 0;
      std::int64_t first = 0;
      std::set<std::string> verbs{};
    };
    std::map<std::pair<NodeId, NodeId>, Several> by_ends;
    for (const auto& [call, request] : open) {
      const bool failed = !request.arrived || request.answer_lost || down_.contains(request.to);
      if (!failed || request.sent + kUnderWay > until_) continue;
      Several& s = by_ends[{request.from, request.to}];
      if (s.requests++ == 0 || request.sent < s.first) s.first = request.sent;
      s.lost += !request.arrived;
      s.answered += request.answer_lost;
      if (!request.verb.empty()) s.verbs.insert(request.verb);
    }
    for (const auto& [between, s] : by_ends) {
      const std::string& to = record_.machines()[between.second];
      const std::string verbs = s.verbs.empty() ? "" : fmt::format(" ({})", fmt::join(s.verbs, ", "));
      const std::string_view why = s.lost == s.requests       ? ", which never arrived there"
                                   : s.answered == s.requests ? ", which was sent and never arrived"
                                   : s.lost + s.answered == 0 ? ", which is down"
                                                              : ", which were lost on either way";
      all_.push_back({s.first, record_.machines()[between.first],
                      s.requests == 1 ? fmt::format("an answer from {} to its request{}{}", to, verbs, why)
                                      : fmt::format("answers from {} to {} requests{}{}", to, s.requests, verbs, why)});
    }
  }

  std::set<NodeId> clients() const {
    std::set<NodeId> nodes;
    for (const ClientSpec& spec : record_.scenario().clients) {
      const bool concerned = std::any_of(holds_.begin(), holds_.end(), [&](HoldId hold) {
        return hold < h_.holds.size() && client(hold) == spec.name;
      });
      const auto machine = std::find(record_.machines().begin(), record_.machines().end(), spec.machine_name());
      if (concerned && machine != record_.machines().end())
        nodes.insert(static_cast<NodeId>(machine - record_.machines().begin()));
    }
    return nodes;
  }

  // Requests by call.  Notes the machines that are down at the end of the records that are looked at.
  std::map<std::uint64_t, Request> unanswered() {
    const std::set<NodeId> asking = clients();
    std::map<std::uint64_t, Request> open;
    std::map<std::uint32_t, std::pair<NodeId, NodeId>> ends;
    std::map<NodeId, std::pair<std::int64_t, Mark>> doing;
    for (EventId id = 0; id < trace_.size() && id <= last_; ++id) {
      const TraceRecord& r = trace_[id];
      if (r.kind == trace::connection_opened) ends[r.a] = {r.node, static_cast<NodeId>(r.b)};
      if (r.kind == trace::mark_passed && r.b == static_cast<std::uint64_t>(MarkSide::before))
        doing[r.node] = {r.time, Mark{static_cast<std::uint16_t>(r.a)}};
      note_down(r);
      const auto request = open.find(r.b);
      if (r.kind == trace::segment_sent && r.b != 0 && request != open.end() && request->second.to == r.node) {
        request->second.answer_lost = true;  // the answer counts as lost before it arrives
      } else if (r.kind == trace::segment_sent && r.b != 0 && request == open.end() && asking.contains(r.node) &&
                 ends.contains(r.a)) {
        const auto& [first, second] = ends[r.a];
        Request made{r.node, first == r.node ? second : first, r.time};
        if (const auto mark = doing.find(r.node); mark != doing.end() && mark->second.first == r.time)
          made.verb = name_of(mark->second.second);
        open.emplace(r.b, std::move(made));
      } else if (r.kind == trace::segment_arrived && r.b != 0 && request != open.end()) {
        if (request->second.from == r.node) {
          open.erase(request);
        } else {
          request->second.arrived = true;
        }
      }
    }
    return open;
  }

  void note_down(const TraceRecord& r) {
    using namespace trace;
    const bool down = r.kind == process_paused || r.kind == host_frozen || r.kind == process_killed ||
                      r.kind == process_panicked || r.kind == power_lost;
    const bool up = r.kind == process_continued || r.kind == host_thawed || r.kind == process_started;
    if (down) down_.insert(r.node);
    if (up) down_.erase(r.node);
  }

  const RunRecord& record_;
  const History& h_;
  const std::vector<TraceRecord>& trace_;
  std::set<HoldId> holds_;
  EventId last_ = 0;
  std::int64_t until_ = 0;
  std::set<NodeId> down_;
  std::vector<MissingEvent> all_;
};

}  // namespace

std::vector<MissingEvent> missing_events(const RunRecord& record, const Finding& finding, const Slice& slice) {
  return Absences(record, finding, slice).find();
}

}  // namespace picklock
