#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Time Serving::from() const { return o.counts_from_healing ? phase(Phase::heal)->time : 0; }

bool Serving::is_orphan(HoldId id, Time t) const {
  for (const auto& e : invoked("acquire")) {
    if (e.hold == id && by_probe(e)) return false;
  }
  const auto* asked = pending(h.holds[id].client, t);
  const bool wanted = asked && (asked->hold == id || asked->hold == whole(id));
  const bool keeps_out = !o.ends_untold || promised(id, t);
  return owns(id, t) && keeps_out && !believes(id, t) && !wanted;
}

Finding Serving::orphaned() const {
  if (o.counts_from_healing && !phase(Phase::heal)) return undecided(Reason::no_healing);
  if (o.orphan_bound < 0) return undecided(Reason::no_bound);
  Finding v;
  bool open = false;
  for (const HoldId id : all()) {
    Time since = -1;
    const auto close = [&](Time t) {
      if (since < 0) return;
      v.measure = std::max(v.measure, t - since);
      v.beside += t - std::max(since, from()) > o.orphan_bound;
      since = -1;
    };
    for (Time t = 0; t <= horizon(); ++t) {
      if (!is_orphan(id, t)) {
        close(t);
      } else if (since < 0) {
        since = t;
      }
    }
    open = open || since >= 0;
    close(horizon());
  }
  if (v.beside == 0 && open) {
    v.verdict = Verdict::undecided;
    v.reason = Reason::pending_at_end;
    return v;
  }
  return violated_if(v.beside > 0, v);
}

Time Serving::settled() const {
  const auto* probe = phase(Phase::probe);
  return probe ? probe->time : horizon();
}

bool Serving::is_closed(const OperationEvent& asked) const {
  const auto* answer = next(asked);
  return answer ? answer->index < probe_index() : death(asked) <= settled();
}

Time Serving::asks_until(const OperationEvent& asked) const {
  if (!is_closed(asked)) return settled();
  const auto* answer = next(asked);
  return answer ? answer->time : death(asked);
}

bool Serving::stands_in_the_way(const OperationEvent& asked, Time t) const {
  const HoldId wanted = asked.hold;
  if (believes(wanted, t) && !o.reentrant) return true;
  const auto wanted_names = names_in(h.holds[wanted].lock);
  for (const std::string& name : wanted_names) {
    std::vector<HoldId> together = {wanted};
    for (const HoldId id : all()) {
      const bool own = id == wanted || whole(id) == wanted;
      if (!own && owns(id, t) && h.names.view(h.holds[id].lock) == name) together.push_back(id);
    }
    if (together.size() > 1 && conflict(together)) return true;
  }
  if (!reads(wanted)) return false;
  for (const auto& e : invoked("acquire")) {
    if (by_probe(e) || e.hold == kNoHold || reads(e.hold) || e.index > probe_index()) continue;
    if (e.time > t || t >= asks_until(e)) continue;
    for (const std::string& name : names_in(h.holds[e.hold].lock)) {
      if (wanted_names.contains(name)) return true;
    }
  }
  return false;
}

Serving::Way Serving::way_of(const OperationEvent& asked) const {
  Way way;
  Time since = -1;
  const Time end = asks_until(asked);
  const auto counted = [&](Time t) { return t - std::max(since, from()); };
  for (Time t = asked.time; t < end; ++t) {
    const bool obstructed = stands_in_the_way(asked, t) || !runs(h.holds[asked.hold].client, t);
    if (obstructed && since >= 0) way.longest = std::max(way.longest, counted(t));
    if (obstructed) since = -1;
    if (obstructed) way.never_obstructed = false;
    if (!obstructed && since < 0) since = t;
  }
  if (since < 0) return way;
  way.longest = std::max(way.longest, counted(end));
  way.at_end = std::max<Time>(counted(end), 0);
  return way;
}

bool Serving::heard_in_vain(HoldId id) const {
  for (const HoldId part : all()) {
    if (part != id && whole(part) == id) return false;
  }
  const bool named = std::any_of(h.grants.begin(), h.grants.end(),
                                 [&](const GrantEvent& e) { return e.hold == id && e.change == GrantChange::begin; });
  return id < o.received.size() && o.received[id] >= 0 && !named;
}

// Did it wait until its patience was over?  A clock may be ahead by a tenth, and a library count whole milliseconds.
bool Serving::gave_up(const OperationEvent& asked, Time answered) const {
  const auto process = static_cast<std::size_t>(asked.process);
  if (process >= o.patience.size() || o.patience[process] < 0) return false;
  const Time patience = o.patience[process];
  if (patience / 10 + 1'000'000 >= patience && heard_in_vain(asked.hold)) return false;
  return answered - asked.time + patience / 10 + 1'000'000 >= patience;
}

Time Serving::unserved_for(const OperationEvent& asked) const {
  const auto* answer = next(asked);
  const Way way = way_of(asked);
  const Time waited = asks_until(asked) - asked.time;
  const bool refused = is_closed(asked) && answer && answer->type == OperationType::fail && waited > 0 &&
                       way.never_obstructed && asked.time >= from() && !o.splits_votes && !gave_up(asked, answer->time);
  if (refused) return waited;
  return way.longest > o.unserved_bound ? way.longest : 0;
}

Finding Serving::unserved() const {
  if (o.counts_from_healing && !phase(Phase::heal)) return undecided(Reason::no_healing);
  if (o.unserved_bound < 0) return undecided(Reason::no_bound);
  Finding v;
  bool open = false;
  for (const auto& e : invoked("acquire")) {
    if (by_probe(e) || e.hold == kNoHold || e.index > probe_index()) continue;
    const Time waited = unserved_for(e);
    v.measure = std::max(v.measure, waited);
    v.beside += waited > 0;
    const Time at_end = is_closed(e) ? -1 : way_of(e).at_end;
    open = open || (at_end >= 0 && at_end <= o.unserved_bound);
  }
  if (v.beside == 0 && open) return undecided(Reason::pending_at_end);
  return violated_if(v.beside > 0, v);
}

}  // namespace picklock::reference
