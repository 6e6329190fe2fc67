#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Finding Effects::lost_update() const {
  if (o.permits > 1) return not_applicable(Reason::several_permits);
  Finding v;
  for (const auto& lost : h.effects) {
    v.measure += is_swallowed(lost) ||
                 std::any_of(h.effects.begin(), h.effects.end(), [&](const EffectEvent& w) { return loses(w, lost); });
  }
  return violated_if(v.measure > 0, v);
}

Finding Effects::stale_write() const {
  if (o.permits > 1) return not_applicable(Reason::several_permits);
  Finding v;
  for (const auto& e : h.effects) v.measure += is_stale(e);
  return violated_if(v.measure > 0, v);
}

Finding Effects::late_write() const {
  Finding v;
  for (const auto& e : h.effects) v.measure += is_late(e);
  return violated_if(v.measure > 0, v);
}

Finding Effects::sold_twice() const {
  if (!o.seats) return not_applicable(Reason::other_workload);
  Finding v;
  for (NameId seat = 0; seat < h.names.size(); ++seat) {
    std::set<HoldId> buyers;
    for (const auto& e : h.effects) {
      if (e.resource == seat && e.kind == EffectKind::write && e.acknowledged && e.hold != kNoHold) {
        buyers.insert(e.hold);
      }
    }
    v.measure += buyers.size() >= 2;
  }
  return violated_if(v.measure > 0, v);
}

bool Effects::is_swallowed(const EffectEvent& write) {
  return write.kind == EffectKind::refused_write && write.acknowledged && write.hold != kNoHold;
}

bool Effects::loses(const EffectEvent& w, const EffectEvent& lost) {
  return w.kind == EffectKind::write && lost.kind == EffectKind::write && lost.acknowledged && w.depends_on_read &&
         w.resource == lost.resource && w.hold != lost.hold && w.read_version < lost.version &&
         lost.version < w.version;
}

bool Effects::makes_stale(const EffectEvent& e, const EffectEvent& write) const {
  if (!took_effect(e) || e.index >= write.index || e.resource != write.resource) return false;
  const auto* later = grant_of(e.hold);
  const auto* own = grant_of(write.hold);
  return later && own && e.hold != kNoHold && write.hold != kNoHold && later->index > own->index;
}

bool Effects::is_late(const EffectEvent& write) const {
  const auto* own = grant_of(write.hold);
  return write.kind == EffectKind::write && write.hold != kNoHold && own && own->time <= write.time &&
         !owns(write.hold, write.time) && !is_stale(write);
}

bool Effects::took_effect(const EffectEvent& e) { return e.kind == EffectKind::read || e.kind == EffectKind::write; }

bool Effects::is_stale(const EffectEvent& write) const {
  return write.kind == EffectKind::write &&
         std::any_of(h.effects.begin(), h.effects.end(), [&](const EffectEvent& e) { return makes_stale(e, write); });
}

}  // namespace picklock::reference
