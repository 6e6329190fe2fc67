#include "checker/properties/reference/definitions_lab.hpp"

namespace picklock::reference {

Finding Exclusion::mutual_exclusion() const {
  Finding v;
  for (Time t = 0; t < horizon(); ++t) {
    for (const NameId lock : locks()) {
      std::vector<HoldId> believers, awake;
      for (const HoldId id : all()) {
        if (h.holds[id].lock != lock || !believes(id, t)) continue;
        believers.push_back(id);
        if (runs(h.holds[id].client, t)) awake.push_back(id);
      }
      if (conflict(believers)) ++v.measure;
      if (conflict(awake)) ++v.beside;
    }
  }
  return violated_if(v.measure > 0, v);
}

Finding Exclusion::double_grant() const {
  Finding v;
  for (Time t = 0; t <= horizon(); ++t) {
    for (const HoldId id : all()) {
      if (owns(id, t) && !owns(id, t - 1) && is_double(id, t)) ++v.measure;
    }
  }
  return violated_if(v.measure > 0, v);
}

bool Exclusion::is_double(HoldId id, Time t) const {
  std::vector<HoldId> set{id};
  bool conflicting = false;
  for (const HoldId other : all()) {
    if (other == id || h.holds[other].lock != h.holds[id].lock || !promised(other, t)) continue;
    set.push_back(other);
    if (!(reads(other) && reads(id))) conflicting = true;
  }
  return o.permits == 1 ? conflicting : conflict(set);
}

// --- witnesses

bool Exclusion::proves_mutual_exclusion(const Witness& w) const {
  const std::vector<HoldId> holds(w.all_holds().begin(), w.all_holds().end());
  const std::set<HoldId> distinct(holds.begin(), holds.end());
  bool together = false;
  for (Time t = 0; t < horizon(); ++t) {
    together = together || std::all_of(holds.begin(), holds.end(), [&](HoldId id) { return believes(id, t); });
  }
  for (const std::uint32_t index : w.all_events()) {
    const auto* e = find(h.beliefs, index);
    if (!e || !distinct.contains(e->hold)) return false;
  }
  return together && distinct.size() == holds.size() && holds.size() == o.permits + 1 && conflict(holds) &&
         w.event_count >= 1;
}

bool Exclusion::proves_double_grant(const Witness& w) const {
  const auto* begin = find(h.grants, w.events[w.event_count - 1u]);
  const std::vector<HoldId> holds(w.all_holds().begin(), w.all_holds().end());
  if (!begin || begin->change != GrantChange::begin || holds.back() != begin->hold) return false;
  for (const HoldId id : holds) {
    if (id != begin->hold && !promised(id, begin->time)) return false;
    if (h.holds[id].lock != h.holds[begin->hold].lock) return false;
  }
  for (std::size_t i = 0; i + 1 < w.event_count; ++i) {
    const auto* promise = find(h.grants, w.events[i]);
    if (promise->hold != holds[i] || promise->until <= begin->time) return false;
  }
  return conflict(holds) && holds.size() == o.permits + 1;
}

}  // namespace picklock::reference
