#include "instruments/estimate/ascent.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace picklock {
namespace {

__extension__ using Exact = __int128;
constexpr std::int64_t kNeverOver = std::numeric_limits<std::int64_t>::max();

}  // namespace

// Sweeps grants, beliefs, operations, stops and deaths in the order of their indices.
class AscentSweep {
 public:
  AscentSweep(const History& h, const UsualWork& usual) : h_(h), holds_(h.holds.size()), stopped_(h.names.size()) {
    for (HoldId id = 1; id < holds_.size(); ++id)
      holds_[id].usual_work = usual.of(std::string(h.names.view(h.holds[id].client)));
    for (std::size_t f = 0; f < h.functions.size(); ++f) {
      const std::string_view name = h.names.view(h.functions[f]);
      releases_.push_back(name.starts_with("release"));
      acquires_.push_back(name.starts_with("acquire"));
    }
  }

  void run() {
    std::int64_t end = kNeverOver;
    for (const PhaseEvent& p : h_.phases) {
      if (p.phase == Phase::probe) end = p.time;
    }
    std::array<std::size_t, 4> next{};
    for (;;) {
      const std::array<std::uint32_t, 4> index = {index_of(h_.grants, next[0]), index_of(h_.beliefs, next[1]),
                                                  index_of(h_.operations, next[2]), index_of(h_.processes, next[3])};
      const auto first = static_cast<std::size_t>(std::min_element(index.begin(), index.end()) - index.begin());
      if (index[first] == UINT32_MAX) break;
      const std::size_t i = next[first]++;
      switch (first) {
        case 0:
          if (!pass_to(h_.grants[i].time, end)) return;
          see(h_.grants[i]);
          break;
        case 1:
          if (!pass_to(h_.beliefs[i].time, end)) return;
          see(h_.beliefs[i]);
          break;
        case 2:
          if (!pass_to(h_.operations[i].time, end)) return;
          see(h_.operations[i]);
          break;
        default:
          if (!pass_to(h_.processes[i].time, end)) return;
          see(h_.processes[i]);
      }
    }
    const std::int64_t last = h_.phases.empty() ? now_ : h_.phases.back().time;
    pass_to(std::max(now_, std::min(last, end)), end);
  }

  std::vector<Ascent::Piece> pieces;
  std::vector<std::pair<NameId, std::int64_t>> work;  // awake, on one promise; by client

 private:
  struct Hold {
    std::int64_t usual_work = 0;
    std::int64_t worked = 0;  // awake and believing, since its promise
    bool believed = false;
    std::int32_t unanswered = 0;   // requests on its behalf, but for releases
    std::int64_t since = kNoTime;  // start of its promise; none: it has no promise
    std::int64_t span = 0;         // its length; 0: without end
    std::int64_t ended = kNoTime;  // its ownership, though the promise lasts
    bool is_live() const { return since != kNoTime && (believed || unanswered > 0); }
  };

  template <class Events>
  static std::uint32_t index_of(const Events& events, std::size_t i) {
    return i < events.size() ? events[i].index : UINT32_MAX;
  }

  // False: the probe has begun.  An event may be dated back, as the end of a belief at its deadline.
  bool pass_to(std::int64_t time, std::int64_t end) {
    const std::int64_t until = std::min(time, end);
    if (until > now_) {
      for (const HoldId id : live_) rise(id, until);
      now_ = until;
    }
    return time <= end;
  }

  Level level(std::int64_t since, std::int64_t span, std::int64_t t) const {
    return static_cast<Level>(static_cast<Exact>(t - since) * kLeaseOver / span);
  }

  void rise(HoldId id, std::int64_t until) {
    Hold& hold = holds_[id];
    std::int64_t since = hold.since, span = hold.span;
    if (hold.ended != kNoTime) {  // an ended hold counts as if its lease had run out by then
      if (span == 0) span = kUsualSpan;
      since = std::min(since, hold.ended - span);
    }
    const std::int64_t to_do = std::max<std::int64_t>(0, hold.usual_work - hold.worked);
    const bool works = hold.believed && !stopped_[h_.holds[id].client];
    if (works) hold.worked += until - now_;
    if (span == 0) return;
    const std::int64_t done = std::min(until, works ? now_ + to_do : now_);  // up to here the level stays
    line(since - to_do, span, now_, now_);
    line(works ? since : since - to_do, span, done, until);
  }

  // A level that rises along a line from one instant to another.
  void line(std::int64_t since, std::int64_t span, std::int64_t at, std::int64_t until) {
    const Level to = level(since, span, until);
    const Level above = pieces.empty() ? 0 : pieces.back().to;
    if (to <= above) return;
    pieces.push_back({at, until, std::max(above, level(since, span, at)), to, since, span});
  }

  void keep_live(HoldId id) {
    const auto place = std::find(live_.begin(), live_.end(), id);
    if (holds_[id].is_live() == (place != live_.end())) return;
    if (place == live_.end()) {
      live_.push_back(id);
    } else {
      live_.erase(place);
    }
  }

  void see(const GrantEvent& e) {
    Hold& hold = holds_[e.hold];
    switch (e.change) {
      case GrantChange::begin:
      case GrantChange::extend:
        note_work(e.hold);
        hold.since = e.time;
        hold.span = e.until == kNoTime || e.until == kNeverOver || e.until <= e.time ? 0 : e.until - e.time;
        hold.ended = kNoTime;
        break;
      case GrantChange::end:
      case GrantChange::released:
      case GrantChange::forced:
        if (hold.since != kNoTime && hold.ended == kNoTime) hold.ended = std::max(e.time, hold.since + 1);
        break;
      case GrantChange::wrong_release:
      case GrantChange::wrong_renewal:
        break;
    }
    keep_live(e.hold);
  }
  void note_work(HoldId id) {
    Hold& hold = holds_[id];
    if (hold.worked > 0) work.emplace_back(h_.holds[id].client, hold.worked);
    hold.worked = 0;
  }
  void see(const BeliefEvent& e) {
    if (e.end == BeliefEnd::released) note_work(e.hold);
    holds_[e.hold].believed = e.end == BeliefEnd::none;
    keep_live(e.hold);
  }
  void see(const OperationEvent& e) {
    if (e.hold == kNoHold || e.hold >= holds_.size() || releases_[e.f]) return;
    Hold& hold = holds_[e.hold];
    if (e.type == OperationType::invoke) ++hold.unanswered;
    // A write that was given up may still arrive; the client ignores the answer to an acquire that it gave up.
    const bool over = e.type == OperationType::ok || e.type == OperationType::fail ||
                      (e.type == OperationType::info && acquires_[e.f]);
    if (over) hold.unanswered = std::max(0, hold.unanswered - 1);
    keep_live(e.hold);
  }
  void see(const ProcessEvent& e) {
    stopped_[e.client] = e.change == ProcessChange::stopped;
    if (e.change != ProcessChange::died) return;
    for (HoldId id = 0; id < holds_.size(); ++id) {
      if (h_.holds[id].client != e.client) continue;
      holds_[id].believed = false;
      holds_[id].unanswered = 0;
      keep_live(id);
    }
  }

  static constexpr std::int64_t kUsualSpan = 1'000'000'000;  // span assumed for a broken promise without end

  const History& h_;
  std::vector<Hold> holds_;
  std::vector<HoldId> live_;
  std::vector<bool> stopped_;              // index: client
  std::vector<bool> releases_, acquires_;  // index: OperationEvent::f
  std::int64_t now_ = 0;
};

void UsualWork::add(const History& history) {
  AscentSweep sweep(history, {});
  sweep.run();
  for (const auto& [client, time] : sweep.work) times_[std::string(history.names.view(client))].push_back(time);
}

std::int64_t UsualWork::of(const std::string& client) const {
  const auto found = times_.find(client);
  if (found == times_.end()) return 0;
  std::vector<std::int64_t> times = found->second;
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

Ascent::Ascent(const History& history, const UsualWork& usual) {
  AscentSweep sweep(history, usual);
  sweep.run();
  pieces_ = std::move(sweep.pieces);
}

std::optional<std::int64_t> Ascent::reaches(Level level) const {
  const auto found = std::find_if(pieces_.begin(), pieces_.end(), [level](const Piece& p) { return p.to >= level; });
  if (found == pieces_.end()) return std::nullopt;
  // A jump is due to what happened at that instant; a line is known before.
  if (found->from >= level) return found->at + 1;
  const Exact passed = (static_cast<Exact>(level) * found->span + kLeaseOver - 1) / kLeaseOver;
  return std::min(found->since + static_cast<std::int64_t>(passed), found->until);
}

}  // namespace picklock
