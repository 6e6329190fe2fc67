#include "reports/run/lanes.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace picklock {
namespace {

struct Now {                       // state of one client
  int waiting = 0, believing = 0;  // numbers of holds
  bool stopped = false, dead = false;

  ClientState state() const {
    if (dead) return ClientState::dead;
    if (stopped) return believing > 0 ? ClientState::stopped_believing : ClientState::stopped;
    if (believing > 0) return waiting > 0 ? ClientState::believing_waiting : ClientState::believing;
    return waiting > 0 ? ClientState::waiting : ClientState::idle;
  }
};

struct Change {
  std::int64_t time;
  std::uint32_t index;
  NameId client;
  int what;  // one of the constants below
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
      ++now.waiting;
      return;
    case kNoWait:
      now.waiting = std::max(now.waiting - 1, 0);
      return;
    case kBelieve:
      ++now.believing;
      return;
    case kNoBelieve:
      now.believing = std::max(now.believing - 1, 0);
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

// The part of a lock that one hold owns.
struct Owned {
  bool owns = false;
  std::int64_t since = 0, lease = kNoTime;
};

// Adds the time up to `time`, in which nothing has changed but that the lease may have run out.
void add_owned(const Owned& o, HoldId hold, std::int64_t time, std::vector<OwnerStretch>& stretches) {
  const std::int64_t lease_ends = std::clamp(o.lease, o.since, time);
  const auto add = [&](std::int64_t from, std::int64_t until, Ownership what) {
    if (from >= until) return;
    OwnerStretch* const last = stretches.empty() ? nullptr : &stretches.back();
    const bool goes_on = last != nullptr && last->hold == hold && last->what == what && last->until == from;
    if (goes_on) {
      last->until = until;
    } else {
      stretches.push_back({from, until, hold, what});
    }
  };
  add(o.since, lease_ends, o.owns ? Ownership::owns : Ownership::promised);
  if (o.owns) add(lease_ends, time, Ownership::overdue);
}

void find_owners(const History& h, Lanes& lanes) {
  std::map<HoldId, std::vector<const GrantEvent*>> by_hold;
  for (const GrantEvent& g : h.grants) {
    const bool of_others = g.change == GrantChange::wrong_release || g.change == GrantChange::wrong_renewal;
    if (!of_others) by_hold[g.hold].push_back(&g);
  }
  for (const auto& [hold, events] : by_hold) {
    Owned now;
    for (const GrantEvent* const g : events) {
      add_owned(now, hold, g->time, lanes.owners);
      now.since = g->time;
      const bool over = g->change == GrantChange::released || g->change == GrantChange::forced;
      if (g->change == GrantChange::begin) now.owns = true;
      if (over || g->change == GrantChange::end) now.owns = false;
      if (g->until != kNoTime) now.lease = g->until;
      if (over) now.lease = kNoTime;
    }
    // The line of an endless hold stops when the service has ceased to name it: nothing ever ends it.
    if (!now.owns && now.lease == std::numeric_limits<std::int64_t>::max()) continue;
    add_owned(now, hold, lanes.end, lanes.owners);
  }
  std::stable_sort(lanes.owners.begin(), lanes.owners.end(),
                   [](const OwnerStretch& a, const OwnerStretch& b) { return a.from < b.from; });
}

// Readers go together, and so do as many as there are permits.
bool conflict(const std::vector<HoldMode>& modes, std::uint32_t permits) {
  const bool writer = std::find(modes.begin(), modes.end(), HoldMode::write) != modes.end();
  return writer && modes.size() > permits;
}

void find_overlaps(const History& h, std::uint32_t permits, Lanes& lanes) {
  std::map<NameId, std::map<HoldId, HoldMode>> believed;  // key: lock
  std::map<NameId, std::int64_t> since;                   // conflicts that go on
  const auto look = [&](NameId lock, std::int64_t time) {
    std::vector<HoldMode> modes;
    for (const auto& [hold, mode] : believed[lock]) modes.push_back(mode);
    const auto known = since.find(lock);
    if (conflict(modes, permits)) {
      since.try_emplace(lock, time);
    } else if (known != since.end()) {
      if (time > known->second) lanes.overlaps.push_back({known->second, time});
      since.erase(known);
    }
  };
  for (const BeliefEvent& b : h.beliefs) {
    const HoldInfo& hold = h.holds[b.hold];
    if (b.end == BeliefEnd::none) {
      believed[hold.lock][b.hold] = hold.mode;
    } else {
      believed[hold.lock].erase(b.hold);
    }
    look(hold.lock, b.time);
  }
  for (const auto& [lock, from] : since) lanes.overlaps.push_back({from, lanes.end});
  std::stable_sort(lanes.overlaps.begin(), lanes.overlaps.end(),
                   [](const Overlap& a, const Overlap& b) { return a.from < b.from; });
}

}  // namespace

char glyph(ClientState state) { return ".:=+zZx"[static_cast<int>(state)]; }

Lanes lanes_of(const History& h, std::uint32_t permits) {
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
  find_overlaps(h, permits, lanes);
  return lanes;
}

ClientState state_at(const ClientLane& lane, std::int64_t time) {
  for (const Stretch& s : lane.stretches) {
    if (time >= s.from && time < s.until) return s.state;
  }
  return lane.stretches.empty() ? ClientState::idle : lane.stretches.back().state;
}

}  // namespace picklock
