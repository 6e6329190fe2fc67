#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Finding Waiting::never_free_again() const {
  std::set<NameId> names{kNoName};
  for (NameId id = 0; id < h.names.size(); ++id) names.insert(id);
  Finding v;
  bool any = false;
  std::set<Reason> doubts;
  for (const NameId name : names) {
    const auto one = probe(name);
    any = any || one;
    if (one && one->verdict == Verdict::violated) ++v.measure;
    if (one && one->verdict == Verdict::undecided) doubts.insert(one->reason);
  }
  if (!any) return undecided(Reason::no_probe);
  if (v.measure == 0 && !doubts.empty()) return undecided(*doubts.begin());
  return violated_if(v.measure > 0, v);
}

Finding Waiting::starvation() const {
  if (o.patience_limited) return not_applicable(Reason::patience_limited);
  const auto* heal = phase(Phase::heal);
  if (!heal) return undecided(Reason::no_healing);
  if (o.starvation_bound < 0) return undecided(Reason::no_bound);
  Finding v;
  bool waiting = false;
  for (const auto& e : invoked("acquire")) {
    if (by_probe(e)) continue;
    const auto* answer = next(e);
    const bool dies = death(e) != kEver;
    const Time until = answer ? answer->time : dies ? death(e) : horizon();
    waiting = waiting || (!answer && !dies);
    const Time waited = until - std::max(e.time, heal->time);
    v.measure = std::max(v.measure, waited);
    v.beside += waited > o.starvation_bound;
  }
  if (v.beside == 0 && waiting) {
    v.verdict = Verdict::undecided;
    v.reason = Reason::pending_at_end;
    return v;
  }
  return violated_if(v.beside > 0, v);
}

Finding Waiting::overtaking() const {
  Finding v = o.overtaking_limit < 0 ? not_applicable(Reason::no_bound) : Finding{};
  for (const HoldId id : all()) {
    std::int64_t suffered = 0;
    for (const HoldId other : all()) suffered += overtakes(other, id);
    v.measure = std::max(v.measure, suffered);
    v.beside += suffered;
  }
  return violated_if(o.overtaking_limit >= 0 && v.measure > o.overtaking_limit, v);
}

Finding Waiting::lost_wake_up() const {
  if (o.patience_limited) return not_applicable(Reason::patience_limited);
  if (o.permits > 1) return not_applicable(Reason::several_permits);
  const auto* heal = phase(Phase::heal);
  if (!heal) return undecided(Reason::no_healing);
  if (o.wake_up_bound < 0) return undecided(Reason::no_bound);
  const auto* probe = phase(Phase::probe);
  const Time end = probe ? probe->time : horizon();
  Finding v;
  bool waiting = false;
  for (const auto& e : invoked("acquire")) {
    if (by_probe(e) || e.hold == kNoHold || e.index > probe_index()) continue;
    const auto* answer = next(e);
    if (answer ? answer->index < probe_index() : death(e) < end) continue;
    const std::set<NameId> all_locks = locks();
    const auto hidden = [&](NameId name) {
      return unseen(name) && names_in(h.holds[e.hold].lock).contains(std::string(h.names.view(name)));
    };
    if (std::any_of(all_locks.begin(), all_locks.end(), hidden)) continue;
    bool is_free = true;
    Time moved = heal->time;
    const auto about = [&](HoldId id) {
      return id != kNoHold && names_in(h.holds[e.hold].lock).contains(std::string(h.names.view(h.holds[id].lock)));
    };
    for (const HoldId id : all()) {
      bool owned = false;
      for (const auto& g : h.grants) {
        if (g.hold != id || g.index > probe_index()) continue;
        if (g.change == GrantChange::begin) owned = true;
        if (ends(g.change)) owned = false;
      }
      if (owned && about(id) && !(reads(id) && reads(e.hold))) is_free = false;
    }
    if (!is_free) continue;
    for (const auto& g : h.grants) {
      if (g.index < probe_index() && about(g.hold)) moved = std::max(moved, g.time);
    }
    for (const auto& b : h.beliefs) {
      if (b.index < probe_index() && about(b.hold)) moved = std::max(moved, b.time);
    }
    for (const auto& other : h.operations) {
      const bool lock_operation = function(other) == "acquire" || function(other) == "release";
      if (lock_operation && other.index < probe_index() && about(other.hold)) moved = std::max(moved, other.time);
    }
    const Time stood = end - moved;
    waiting = waiting || stood <= o.wake_up_bound;
    if (stood <= o.wake_up_bound) continue;
    ++v.beside;
    v.measure = std::max(v.measure, stood);
  }
  if (v.beside == 0 && waiting) return undecided(Reason::pending_at_end);
  return violated_if(v.beside > 0, v);
}

std::optional<Finding> Waiting::probe(NameId name) const {
  bool unanswered = false, unknown = false, tried = false, ok = false;
  const OperationEvent* failed = nullptr;
  const auto acquires = invoked("acquire");
  for (const auto& e : acquires) {
    if (!by_probe(e) || lock(e) != name) continue;
    tried = true;
    const auto* answer = next(e);
    if (!answer) {
      unanswered = true;
    } else if (answer->type == OperationType::ok) {
      ok = true;
    } else if (answer->type == OperationType::fail) {
      failed = &e;
    } else {
      unknown = true;
    }
  }
  if (!tried) return std::nullopt;
  if (ok) return Finding{};
  if (unanswered) return undecided(Reason::probe_unanswered);
  if (unknown) return undecided(Reason::probe_answer_unknown);
  if (held_between(name, failed->time, next(*failed)->time)) {
    return undecided(Reason::held_during_probe);
  }
  if (o.too_few_servers) return undecided(Reason::too_few_servers);
  return violated_if(true, Finding{});
}

bool Waiting::overtakes(HoldId other, HoldId id) const {
  return grant_of(id) && grant_of(other) && h.holds[id].lock == h.holds[other].lock && asked(id) != kNoTime &&
         asked(other) > asked(id) && grant_of(other)->index < grant_of(id)->index;
}

bool Waiting::held_between(NameId name, Time from, Time until) const {
  for (const HoldId id : all()) {
    const auto b = belief(id);
    if (h.holds[id].lock == name && b && b->from < until && from < b->until) return true;
  }
  for (const auto& e : invoked("release")) {
    const auto* answer = next(e);
    const Time end = answer ? answer->time : death(e);
    if (lock(e) == name && e.time < until && from < end) return true;
  }
  return false;
}

Time Waiting::asked(HoldId id) const {
  if (!o.received.empty()) return id < o.received.size() ? o.received[id] : kNoTime;
  for (const auto& e : invoked("acquire")) {
    const auto* answer = next(e);
    if (answer && answer->type == OperationType::ok && answer->hold == id) return e.time;
  }
  return kNoTime;
}

}  // namespace picklock::reference
