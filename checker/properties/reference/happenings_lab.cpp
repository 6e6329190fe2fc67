#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

SometimesMask Happenings::happened() const {
  SometimesMask mask = 0;
  const auto set = [&](Sometimes one, bool is) { mask |= is ? bit(one) : 0; };
  set(Sometimes::someone_acquired, someone_acquired());
  set(Sometimes::contention, contention());
  set(Sometimes::two_holds, two_holds());
  set(Sometimes::resource_shared, resource_shared());
  for (const HoldId id : all()) {
    const auto b = belief(id);
    set(Sometimes::hold_ended, b && b->ended < probe_index());
  }
  set(Sometimes::release_asked, any_of(h.operations, [&](const OperationEvent& e) {
        return e.process >= 0 && e.type == OperationType::invoke && function(e) == "release";
      }));
  set(Sometimes::renewal_happened,
      any_of(h.operations,
             [&](const OperationEvent& e) {
               return e.process >= 0 && e.type == OperationType::ok && function(e) == "extend";
             }) ||
          any_of(h.grants, [](const GrantEvent& e) { return e.change == GrantChange::extend; }));
  set(Sometimes::resource_written, any_of(h.effects, [](const EffectEvent& e) { return e.kind == EffectKind::write; }));
  return mask;
}

bool Happenings::contention() const {
  std::vector<Interest> interests;
  for (const auto& e : invoked("acquire")) {
    if (by_probe(e) || e.index > probe_index()) continue;
    const auto* answer = next(e);
    const bool cut = answer ? answer->type == OperationType::invoke : death(e) != kEver;
    interests.push_back({lock(e), e.process, e.index, answer ? answer->index : kNoIndex, cut});
  }
  for (const HoldId id : all()) {
    const auto b = belief(id);
    if (!b || b->began > probe_index()) continue;
    interests.push_back({h.holds[id].lock, h.holds[id].process, b->began, b->ended, false});
  }
  for (const auto& a : interests) {
    for (const auto& b : interests) {
      if (a.lock != b.lock || a.process == b.process || b.instant) continue;
      const std::uint32_t a_until = a.instant ? a.from + 1 : a.until;
      const bool meet =
          a.instant ? b.from < a.from && a.from < b.until : std::max(a.from, b.from) < std::min(a_until, b.until);
      if (meet) return true;
    }
  }
  return false;
}

bool Happenings::two_foreign_holds() const {
  std::vector<OperationEvent> answers;
  for (const auto& e : h.operations) {
    if (e.process >= 0 && e.type == OperationType::ok && function(e) == "acquire" && invocation(e) &&
        e.index < probe_index()) {
      answers.push_back(e);
    }
  }
  for (const auto& a : answers) {
    for (const auto& b : answers) {
      if (a.index != b.index && lock(*invocation(a)) == lock(*invocation(b)) &&
          (a.hold != b.hold || a.hold == kNoHold)) {
        return true;
      }
    }
  }
  return false;
}

bool Happenings::two_holds() const {
  if (!h.omniscient && two_foreign_holds()) return true;
  for (const HoldId a : all()) {
    for (const HoldId b : all()) {
      if (a < b && h.holds[a].lock == h.holds[b].lock && came_true(a) && came_true(b)) {
        return true;
      }
    }
  }
  return false;
}

bool Happenings::came_true(HoldId id) const {
  const auto b = belief(id);
  const auto* grant = grant_of(id);
  return (b && b->began < probe_index()) || (grant && grant->index < probe_index());
}

bool Happenings::resource_shared() const {
  for (const auto& a : h.effects) {
    for (const auto& b : h.effects) {
      for (const auto& w : h.effects) {
        if (a.resource != b.resource || a.resource != w.resource || a.hold == b.hold) continue;
        if (a.hold == kNoHold || b.hold == kNoHold || w.hold == kNoHold) continue;
        if (w.kind != EffectKind::write && w.kind != EffectKind::refused_write) continue;
        if (std::max({a.index, b.index, w.index}) < probe_index()) return true;
      }
    }
  }
  return false;
}

bool Happenings::someone_acquired() const {
  const auto ids = all();
  return std::any_of(ids.begin(), ids.end(), [&](HoldId id) {
    const auto b = belief(id);
    return b && b->began < probe_index();
  });
}

}  // namespace picklock::reference
