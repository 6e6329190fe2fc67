#include "checker/properties/reference/observer_lab.hpp"

namespace picklock::reference {

Time Observer::horizon() const {
  Time last = 0;
  for (const auto& e : h.operations) last = std::max(last, e.time);
  for (const auto& e : h.beliefs) last = std::max(last, e.time);
  for (const auto& e : h.grants) last = std::max(last, e.time);
  for (const auto& e : h.effects) last = std::max(last, e.time);
  for (const auto& e : h.processes) last = std::max(last, e.time);
  for (const auto& e : h.phases) last = std::max(last, e.time);
  return last;
}

const PhaseEvent* Observer::phase(Phase wanted) const {
  for (const auto& e : h.phases) {
    if (e.phase == wanted) return &e;
  }
  return nullptr;
}

std::uint32_t Observer::probe_index() const {
  const auto* probe = phase(Phase::probe);
  return probe ? probe->index : kNoIndex;
}

std::vector<HoldId> Observer::all() const {
  std::vector<HoldId> ids;
  for (HoldId id = 1; id < h.holds.size(); ++id) ids.push_back(id);
  return ids;
}

bool Observer::reads(HoldId id) const { return h.holds[id].mode == HoldMode::read; }

bool Observer::conflict(const std::vector<HoldId>& set) const {
  if (o.permits == 1) {
    for (const HoldId a : set) {
      for (const HoldId b : set) {
        if (a != b && !(reads(a) && reads(b))) return true;
      }
    }
    return false;
  }
  const bool writer = std::any_of(set.begin(), set.end(), [&](HoldId a) { return !reads(a); });
  return set.size() > o.permits && writer;
}

std::set<NameId> Observer::locks() const {
  std::set<NameId> names;
  for (const HoldId id : all()) names.insert(h.holds[id].lock);
  return names;
}

std::set<std::string> Observer::names_in(NameId lock) const {
  std::set<std::string> names = {std::string(h.names.view(lock))};
  std::string one;
  for (const char c : std::string(h.names.view(lock)) + "+") {
    if (c != '+') {
      one += c;
      continue;
    }
    names.insert(one);
    one.clear();
  }
  return names;
}

std::optional<Observer::Belief> Observer::belief(HoldId id) const {
  std::optional<Belief> belief;
  for (const auto& e : h.beliefs) {
    if (e.hold != id) continue;
    if (e.end == BeliefEnd::none) {
      if (!belief) belief = Belief{e.time, kEver, e.index, kNoIndex};
      continue;
    }
    if (!belief) continue;
    if (e.end == BeliefEnd::deadline && !o.honours_deadlines) continue;
    belief->until = e.time;
    belief->ended = e.index;
    break;
  }
  return belief;
}

bool Observer::believes(HoldId id, Time t) const {
  const auto b = belief(id);
  return b && b->from <= t && t < b->until;
}

bool Observer::runs(NameId client, Time t) const {
  bool running = true;
  for (const auto& e : h.processes) {
    if (e.client != client || e.time > t) continue;
    running = e.change == ProcessChange::continued || e.change == ProcessChange::started;
  }
  return running;
}

bool Observer::ends(GrantChange change) {
  return change == GrantChange::end || change == GrantChange::released || change == GrantChange::forced;
}

const GrantEvent* Observer::grant_of(HoldId id) const {
  const BeliefEvent* belief = nullptr;
  for (const auto& e : h.beliefs) {
    if (e.hold == id && e.end == BeliefEnd::none && belief == nullptr) belief = &e;
  }
  const GrantEvent* found = nullptr;
  for (const auto& e : h.grants) {
    if (e.hold != id || e.change != GrantChange::begin) continue;
    if (found == nullptr || (belief != nullptr && e.index < belief->index)) found = &e;
  }
  return found;
}

bool Observer::unseen(NameId lock) const {
  bool believed = false, granted = false;
  for (const HoldId id : all()) {
    if (h.holds[id].lock != lock) continue;
    believed = believed || belief(id).has_value();
    granted = granted || grant_of(id) != nullptr;
  }
  return h.omniscient && believed && !granted;
}

bool Observer::owns(HoldId id, Time t) const {
  bool owned = false;
  for (const auto& e : h.grants) {
    if (e.hold != id || e.time > t) continue;
    if (e.change == GrantChange::begin) owned = true;
    if (ends(e.change)) owned = false;
  }
  return owned;
}

bool Observer::promised(HoldId id, Time t) const {
  Time until = kNoTime;
  for (const auto& e : h.grants) {
    if (e.hold != id || e.time > t) continue;
    if (e.change == GrantChange::begin && e.until != kNoTime) until = e.until;
    if (e.change == GrantChange::extend && e.until != kNoTime && until != kNoTime) {
      until = e.until;
    }
    if (e.change == GrantChange::released || e.change == GrantChange::forced) until = kNoTime;
  }
  return until > t;
}

std::string_view Observer::function(const OperationEvent& e) const {
  const std::string_view name = h.names.view(h.functions[e.f]);
  return name == "acquire-read" ? "acquire" : name == "release-read" ? "release" : name;
}

const OperationEvent* Observer::next(const OperationEvent& invoked) const {
  for (const auto& e : h.operations) {
    if (e.index > invoked.index && e.process == invoked.process) return &e;
  }
  return nullptr;
}

const OperationEvent* Observer::invocation(const OperationEvent& answer) const {
  const OperationEvent* before = nullptr;
  for (const auto& e : h.operations) {
    if (e.index < answer.index && e.process == answer.process) before = &e;
  }
  return before && before->type == OperationType::invoke ? before : nullptr;
}

NameId Observer::lock(const OperationEvent& invoked) const {
  const auto named = [&](const OperationEvent& e) {
    return e.object != kNoName || e.hold == kNoHold ? e.object : h.holds[e.hold].lock;
  };
  if (named(invoked) != kNoName) return named(invoked);
  const auto* answer = next(invoked);
  if (!answer || answer->type == OperationType::invoke) return kNoName;
  return named(*answer);
}

std::vector<OperationEvent> Observer::invoked(std::string_view name) const {
  std::vector<OperationEvent> found;
  for (const auto& e : h.operations) {
    if (e.process >= 0 && e.type == OperationType::invoke && function(e) == name) {
      found.push_back(e);
    }
  }
  return found;
}

bool Observer::by_probe(const OperationEvent& e) const {
  return o.probe_process >= 0 ? e.process == o.probe_process : e.index > probe_index();
}

const OperationEvent* Observer::pending(NameId client, Time t) const {
  const OperationEvent* last = nullptr;
  for (const auto& e : h.operations) {
    if (e.process >= 0 && e.hold != kNoHold && e.time <= t && h.holds[e.hold].client == client) last = &e;
  }
  if (last == nullptr || last->type != OperationType::invoke) return nullptr;
  for (const auto& e : h.processes) {
    const bool died = e.client == client && e.change == ProcessChange::died && e.time <= t;
    if (died && e.index > last->index) return nullptr;
  }
  return function(*last) == "acquire" || function(*last) == "release" ? last : nullptr;
}

HoldId Observer::whole(HoldId part) const {
  const auto& of = h.holds[part];
  if (h.names.view(of.lock).find('+') != std::string_view::npos) return kNoHold;
  for (HoldId id = part; id-- > 1;) {
    const auto& hold = h.holds[id];
    if (hold.client != of.client || hold.lock == of.lock || hold.lock == kNoName) return kNoHold;
    const auto names = names_in(hold.lock);
    if (names.size() > 1) return names.contains(std::string(h.names.view(of.lock))) ? id : kNoHold;
  }
  return kNoHold;
}

Time Observer::death(const OperationEvent& invoked) const {
  if (next(invoked) || invoked.hold == kNoHold) return kEver;
  for (const auto& e : h.processes) {
    if (e.time >= invoked.time && e.change == ProcessChange::died && e.client == h.holds[invoked.hold].client) {
      return e.time;
    }
  }
  return kEver;
}

Finding Observer::violated_if(bool yes, Finding v) {
  if (yes) v.verdict = Verdict::violated;
  return v;
}

}  // namespace picklock::reference
