#include "reports/lanes.hpp"

#include <algorithm>
#include <limits>

namespace picklock {
namespace {

struct Now {  // of one client
  bool waiting = false, believing = false, stopped = false, dead = false;

  ClientState state() const {
    if (dead) return ClientState::dead;
    if (stopped) return believing ? ClientState::stopped_believing : ClientState::stopped;
    return believing ? ClientState::believing : waiting ? ClientState::waiting : ClientState::idle;
  }
};

struct Change {
  std::int64_t time;
  std::uint32_t index;
  NameId client;
  int what;  // see below
};
enum : int { kWait, kNoWait, kBelieve, kNoBelieve, kStop, kContinue, kDie, kStart };

std::vector<Change> changes_of(const History& h) {
  std::vector<Change> all;
  const NameId acquire = h.names.find("acquire"), acquire_read = h.names.find("acquire-read");
  for (const OperationEvent& e : h.operations) {
    if (e.hold == kNoHold || e.hold >= h.holds.size()) continue;
    if (h.functions[e.f] != acquire && h.functions[e.f] != acquire_read) continue;
    all.push_back({e.time, e.index, h.holds[e.hold].client, e.type == OperationType::invoke ? kWait : kNoWait});
  }
  for (const BeliefEvent& e : h.beliefs) {
    all.push_back({e.time, e.index, h.holds[e.hold].client, e.end == BeliefEnd::none ? kBelieve : kNoBelieve});
  }
  for (const ProcessEvent& e : h.processes) {
    constexpr int kWhat[] = {kStop, kContinue, kDie, kStart};
    all.push_back({e.time, e.index, e.client, kWhat[static_cast<int>(e.change)]});
  }
  std::sort(all.begin(), all.end(), [](const Change& a, const Change& b) { return a.index < b.index; });
  return all;
}

void apply(const Change& c, Now& now) {
  switch (c.what) {
    case kWait:
      now.waiting = true;
      return;
    case kNoWait:
      now.waiting = false;
      return;
    case kBelieve:
      now.believing = true;
      return;
    case kNoBelieve:
      now.believing = false;
      return;
    case kStop:
      now.stopped = true;
      return;
    case kContinue:
      now.stopped = false;
      return;
    case kDie:
      now = {.dead = true};
      return;
    default:
      now = {};
      return;
  }
}

void find_owners(const History& h, Lanes& lanes) {
  OwnerStretch current;
  for (const GrantEvent& g : h.grants) {
    switch (g.change) {
      case GrantChange::begin:
        if (current.hold != kNoHold) lanes.owners.push_back({current.from, g.time, current.hold});
        current = {g.time, 0, g.hold};
        break;
      case GrantChange::extend:
      case GrantChange::wrong_renewal:
        break;
      default:
        if (current.hold == g.hold) {
          lanes.owners.push_back({current.from, g.time, current.hold});
          current = {};
        }
    }
  }
  if (current.hold != kNoHold) lanes.owners.push_back({current.from, lanes.end, current.hold});
}

void find_overlaps(const History& h, Lanes& lanes) {
  int believing = 0;
  std::int64_t since = 0;
  for (const BeliefEvent& b : h.beliefs) {
    if (believing > 1 && b.time > since) lanes.overlaps.push_back({since, b.time});
    believing += b.end == BeliefEnd::none ? 1 : -1;
    since = b.time;
  }
}

}  // namespace

char glyph(ClientState state) { return ".:=zZx"[static_cast<int>(state)]; }

Lanes lanes_of(const History& h) {
  Lanes lanes;
  const std::vector<Change> changes = changes_of(h);
  for (const auto& e : h.operations) lanes.end = std::max(lanes.end, e.time);
  for (const auto& e : h.effects) lanes.end = std::max(lanes.end, e.time);
  for (const auto& e : h.phases) lanes.end = std::max(lanes.end, e.time);
  lanes.load_end = lanes.end;
  for (const PhaseEvent& p : h.phases) {
    if (p.phase == Phase::heal) lanes.load_end = p.time;
  }
  for (const Change& c : changes) {
    const auto known = std::find_if(lanes.clients.begin(), lanes.clients.end(),
                                    [&](const ClientLane& l) { return l.client == c.client; });
    if (known == lanes.clients.end()) lanes.clients.push_back({c.client, {}});
  }
  for (ClientLane& lane : lanes.clients) {
    Now now;
    std::int64_t from = 0;
    for (const Change& c : changes) {
      if (c.client != lane.client) continue;
      if (c.time > from) lane.stretches.push_back({from, c.time, now.state()});
      from = c.time;
      apply(c, now);
    }
    if (lanes.end > from) lane.stretches.push_back({from, lanes.end, now.state()});
  }
  find_owners(h, lanes);
  find_overlaps(h, lanes);
  return lanes;
}

ClientState state_at(const ClientLane& lane, std::int64_t time) {
  for (const Stretch& s : lane.stretches) {
    if (time >= s.from && time < s.until) return s.state;
  }
  return lane.stretches.empty() ? ClientState::idle : lane.stretches.back().state;
}

}  // namespace picklock
