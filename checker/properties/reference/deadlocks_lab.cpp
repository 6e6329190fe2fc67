#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Finding Deadlocks::deadlock() const {
  if (o.permits > 1) return not_applicable(Reason::several_permits);
  Finding v;
  std::set<NameId> before;
  for (Time t = 0; t <= horizon(); ++t) {
    const auto stuck = in_cycles(t);
    v.measure += !std::includes(before.begin(), before.end(), stuck.begin(), stuck.end());
    v.beside += !stuck.empty() && t < horizon();
    before = stuck;
  }
  return violated_if(v.measure > 0, v);
}

HoldId Deadlocks::waits(NameId client, Time t) const {
  const auto* asked = pending(client, t);
  return asked && function(*asked) == "acquire" ? asked->hold : kNoHold;
}

bool Deadlocks::got(HoldId id, Time t) const {
  bool has = false;
  for (const auto& g : h.grants) {
    if (g.hold != id || g.time > t) continue;
    if (g.change == GrantChange::begin) has = true;
    if (g.change == GrantChange::released || g.change == GrantChange::forced) has = false;
  }
  return has;
}

bool Deadlocks::blocks(HoldId held, HoldId wanted, Time t) const {
  if (!owns(held, t)) return false;
  const HoldId all_of_it = whole(held);
  const bool half = all_of_it != kNoHold && all_of_it == waits(h.holds[held].client, t);
  if (!(believes(held, t) || half) || all_of_it == wanted) return false;
  for (HoldId part = wanted + 1; part < h.holds.size() && h.holds[part].client == h.holds[wanted].client; ++part) {
    if (h.holds[part].lock == h.holds[held].lock && whole(part) == wanted && got(part, t)) return false;
  }
  if (reads(held) && reads(wanted)) return false;
  const bool own = h.holds[held].client == h.holds[wanted].client;
  if (o.reentrant && (held == wanted || (own && !reads(held)))) return false;
  return names_in(h.holds[wanted].lock).contains(std::string(h.names.view(h.holds[held].lock)));
}

std::set<NameId> Deadlocks::clients() const {
  std::set<NameId> names;
  for (const HoldId id : all()) names.insert(h.holds[id].client);
  return names;
}

std::set<NameId> Deadlocks::in_cycles(Time t) const {
  std::set<std::pair<NameId, NameId>> waits_for;
  for (const NameId client : clients()) {
    const HoldId wanted = waits(client, t);
    if (wanted == kNoHold) continue;
    for (const HoldId held : all()) {
      if (blocks(held, wanted, t)) waits_for.insert({client, h.holds[held].client});
    }
  }
  for (std::size_t before = 0; before != waits_for.size();) {
    before = waits_for.size();
    const auto known = waits_for;
    for (const auto& a : known) {
      for (const auto& b : known) {
        if (a.second == b.first) waits_for.insert({a.first, b.second});
      }
    }
  }
  std::set<NameId> stuck;
  for (const auto& [from, to] : waits_for) {
    if (from == to) stuck.insert(from);
  }
  return stuck;
}

// --- witnesses

namespace {

template <class Records>
void time_of(const Records& records, std::uint32_t index, Time& time) {
  if (const auto* e = find(records, index)) time = e->time;
}

}  // namespace

bool Deadlocks::proves_deadlock(const Witness& w) const {
  Time t = -1;
  time_of(h.operations, w.events[0], t);
  time_of(h.beliefs, w.events[0], t);
  time_of(h.grants, w.events[0], t);
  for (std::size_t i = 0; i < w.hold_count; ++i) {
    const HoldId wanted = waits(h.holds[w.holds[i]].client, t);
    const HoldId next = w.holds[(i + 1) % w.hold_count];
    if (wanted == kNoHold || !blocks(next, wanted, t)) return false;
  }
  return w.hold_count > 0;
}

}  // namespace picklock::reference
