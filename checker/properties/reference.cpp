#include "checker/properties/reference.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/properties/properties.hpp"

namespace picklock::reference {
namespace {

using Time = std::int64_t;
constexpr Time kEver = std::numeric_limits<Time>::max();
constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

class Observer {
 public:
  Observer(const History& history, const JudgeOptions& options) : h(history), o(options) {}

  // ---- time

  [[nodiscard]] Time horizon() const {
    Time last = 0;
    for (const auto& e : h.operations) last = std::max(last, e.time);
    for (const auto& e : h.beliefs) last = std::max(last, e.time);
    for (const auto& e : h.grants) last = std::max(last, e.time);
    for (const auto& e : h.effects) last = std::max(last, e.time);
    for (const auto& e : h.processes) last = std::max(last, e.time);
    for (const auto& e : h.phases) last = std::max(last, e.time);
    return last;
  }
  [[nodiscard]] const PhaseEvent* phase(Phase wanted) const {
    for (const auto& e : h.phases) {
      if (e.phase == wanted) return &e;
    }
    return nullptr;
  }
  [[nodiscard]] std::uint32_t probe_index() const {
    const auto* probe = phase(Phase::probe);
    return probe ? probe->index : kNoIndex;
  }
  [[nodiscard]] std::vector<HoldId> all() const {
    std::vector<HoldId> ids;
    for (HoldId id = 1; id < h.holds.size(); ++id) ids.push_back(id);
    return ids;
  }
  [[nodiscard]] bool reads(HoldId id) const { return h.holds[id].mode == HoldMode::read; }

  // Do the holds of this set conflict?
  [[nodiscard]] bool conflict(const std::vector<HoldId>& set) const {
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

  // ---- beliefs

  struct Belief {
    Time from = 0;
    Time until = kEver;
    std::uint32_t began = 0;
    std::uint32_t ended = kNoIndex;
  };
  [[nodiscard]] std::optional<Belief> belief(HoldId id) const {
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
  [[nodiscard]] bool believes(HoldId id, Time t) const {
    const auto b = belief(id);
    return b && b->from <= t && t < b->until;
  }
  [[nodiscard]] bool runs(NameId client, Time t) const {
    bool running = true;
    for (const auto& e : h.processes) {
      if (e.client != client || e.time > t) continue;
      running = e.change == ProcessChange::continued || e.change == ProcessChange::started;
    }
    return running;
  }

  // ---- grants

  [[nodiscard]] static bool ends(GrantChange change) {
    return change == GrantChange::end || change == GrantChange::released ||
           change == GrantChange::forced;
  }
  // The grant that a hold rests on: the last before its belief, otherwise its first.
  [[nodiscard]] const GrantEvent* grant_of(HoldId id) const {
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
  [[nodiscard]] bool owns(HoldId id, Time t) const {
    bool owned = false;
    for (const auto& e : h.grants) {
      if (e.hold != id || e.time > t) continue;
      if (e.change == GrantChange::begin) owned = true;
      if (ends(e.change)) owned = false;
    }
    return owned;
  }
  [[nodiscard]] bool promised(HoldId id, Time t) const {
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

  // ---- operations

  [[nodiscard]] std::string_view function(const OperationEvent& e) const {
    return h.names.view(h.functions[e.f]);
  }
  // The next record of the same process after an invocation.
  [[nodiscard]] const OperationEvent* next(const OperationEvent& invoked) const {
    for (const auto& e : h.operations) {
      if (e.index > invoked.index && e.process == invoked.process) return &e;
    }
    return nullptr;
  }
  [[nodiscard]] const OperationEvent* invocation(const OperationEvent& answer) const {
    const OperationEvent* before = nullptr;
    for (const auto& e : h.operations) {
      if (e.index < answer.index && e.process == answer.process) before = &e;
    }
    return before && before->type == OperationType::invoke ? before : nullptr;
  }
  [[nodiscard]] NameId lock(const OperationEvent& invoked) const {
    const auto named = [&](const OperationEvent& e) {
      return e.object != kNoName || e.hold == kNoHold ? e.object : h.holds[e.hold].lock;
    };
    if (named(invoked) != kNoName) return named(invoked);
    const auto* answer = next(invoked);
    if (!answer || answer->type == OperationType::invoke) return kNoName;
    return named(*answer);
  }
  [[nodiscard]] std::vector<OperationEvent> invoked(std::string_view name) const {
    std::vector<OperationEvent> found;
    for (const auto& e : h.operations) {
      if (e.process >= 0 && e.type == OperationType::invoke && function(e) == name) {
        found.push_back(e);
      }
    }
    return found;
  }
  [[nodiscard]] bool by_probe(const OperationEvent& e) const {
    return o.probe_process >= 0 ? e.process == o.probe_process : e.index > probe_index();
  }
  // When an invocation without any later record of its process ended by death.
  [[nodiscard]] Time death(const OperationEvent& invoked) const {
    if (next(invoked) || invoked.hold == kNoHold) return kEver;
    for (const auto& e : h.processes) {
      if (e.time >= invoked.time && e.change == ProcessChange::died &&
          e.client == h.holds[invoked.hold].client) {
        return e.time;
      }
    }
    return kEver;
  }

  // ---- the properties

  [[nodiscard]] Verdict mutual_exclusion() const {
    Verdict v;
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

  [[nodiscard]] Verdict double_grant() const {
    Verdict v;
    for (Time t = 0; t <= horizon(); ++t) {
      for (const HoldId id : all()) {
        if (owns(id, t) && !owns(id, t - 1) && is_double(id, t)) ++v.measure;
      }
    }
    return violated_if(v.measure > 0, v);
  }
  [[nodiscard]] bool is_double(HoldId id, Time t) const {
    std::vector<HoldId> set{id};
    bool conflicting = false;
    for (const HoldId other : all()) {
      if (other == id || h.holds[other].lock != h.holds[id].lock || !promised(other, t)) continue;
      set.push_back(other);
      if (!(reads(other) && reads(id))) conflicting = true;
    }
    return o.permits == 1 ? conflicting : conflict(set);
  }

  [[nodiscard]] static bool loses(const EffectEvent& w, const EffectEvent& lost) {
    return w.kind == EffectKind::write && lost.kind == EffectKind::write && lost.acknowledged &&
           w.depends_on_read && w.resource == lost.resource && w.hold != lost.hold &&
           w.read_version < lost.version && lost.version < w.version;
  }
  [[nodiscard]] Verdict lost_update() const {
    if (o.permits > 1) return not_applicable(Reason::several_permits);
    Verdict v;
    for (const auto& lost : h.effects) {
      v.measure += std::any_of(h.effects.begin(), h.effects.end(),
                               [&](const EffectEvent& w) { return loses(w, lost); });
    }
    return violated_if(v.measure > 0, v);
  }

  [[nodiscard]] static bool took_effect(const EffectEvent& e) {
    return e.kind == EffectKind::read || e.kind == EffectKind::write;
  }
  // `e` came before `write`, on behalf of a hold that was granted later.
  [[nodiscard]] bool makes_stale(const EffectEvent& e, const EffectEvent& write) const {
    if (!took_effect(e) || e.index >= write.index || e.resource != write.resource) return false;
    const auto* later = grant_of(e.hold);
    const auto* own = grant_of(write.hold);
    return later && own && e.hold != kNoHold && write.hold != kNoHold && later->index > own->index;
  }
  [[nodiscard]] bool is_stale(const EffectEvent& write) const {
    return write.kind == EffectKind::write &&
           std::any_of(h.effects.begin(), h.effects.end(),
                       [&](const EffectEvent& e) { return makes_stale(e, write); });
  }
  [[nodiscard]] bool is_late(const EffectEvent& write) const {
    const auto* own = grant_of(write.hold);
    return write.kind == EffectKind::write && write.hold != kNoHold && own &&
           own->time <= write.time && !owns(write.hold, write.time) && !is_stale(write);
  }
  [[nodiscard]] Verdict stale_write() const {
    if (o.permits > 1) return not_applicable(Reason::several_permits);
    Verdict v;
    for (const auto& e : h.effects) v.measure += is_stale(e);
    return violated_if(v.measure > 0, v);
  }
  [[nodiscard]] Verdict late_write() const {
    Verdict v;
    for (const auto& e : h.effects) v.measure += is_late(e);
    return violated_if(v.measure > 0, v);
  }

  [[nodiscard]] bool issues(const OperationEvent& e) const {
    return e.process >= 0 && e.type == OperationType::ok && e.token != kNoToken &&
           e.hold != kNoHold && (function(e) == "acquire" || function(e) == "extend");
  }
  [[nodiscard]] std::int64_t token(HoldId id) const {
    if (h.holds[id].token != kNoToken) return h.holds[id].token;
    std::int64_t newest = kNoToken;
    for (const auto& e : h.operations) {
      if (issues(e) && e.hold == id) newest = e.token;
    }
    return newest;
  }
  [[nodiscard]] bool granted_before(HoldId a, HoldId b) const {
    const auto* first = grant_of(a);
    const auto* second = grant_of(b);
    return h.holds[a].lock == h.holds[b].lock && first && second && first->index < second->index;
  }
  [[nodiscard]] bool out_of_order(HoldId a, HoldId b) const {
    return a != b && granted_before(a, b) && !(reads(a) && reads(b)) && token(a) != kNoToken &&
           token(b) != kNoToken && token(a) >= token(b) && !took_over(b);
  }
  // Has it the place of an earlier hold, and its token?
  [[nodiscard]] bool took_over(HoldId b) const {
    const auto passed = std::find_if(h.grants.begin(), h.grants.end(), [&](const GrantEvent& e) {
      return e.change == GrantChange::released && e.by == b && e.hold != b;
    });
    return passed != h.grants.end() && token(passed->hold) == token(b);
  }
  // A foreign hold: the outermost acquire of a hold, or one without a hold.
  struct Acquisition {
    NameId lock;
    bool reads;
    std::int64_t token;
    std::uint32_t invoked, returned;
  };
  [[nodiscard]] std::vector<Acquisition> acquisitions() const {
    std::vector<Acquisition> found;
    std::set<HoldId> seen;
    for (const auto& e : h.operations) {
      if (e.process < 0 || e.type != OperationType::ok || function(e) != "acquire") continue;
      const auto* asked_by = invocation(e);
      if (!asked_by || (e.hold != kNoHold && !seen.insert(e.hold).second)) continue;
      if (e.hold == kNoHold) {
        const NameId name = e.object != kNoName ? e.object : lock(*asked_by);
        found.push_back({name, false, e.token, asked_by->index, e.index});
      } else {
        found.push_back(
            {h.holds[e.hold].lock, reads(e.hold), token(e.hold), asked_by->index, e.index});
      }
    }
    return found;
  }
  [[nodiscard]] static bool out_of_order(const Acquisition& a, const Acquisition& b) {
    return a.lock == b.lock && a.returned < b.invoked && !(a.reads && b.reads) &&
           a.token != kNoToken && b.token != kNoToken && a.token >= b.token;
  }
  [[nodiscard]] Verdict fencing() const {
    Verdict v;
    bool any = false;
    const auto ids = all();
    for (const HoldId b : ids) {
      any = any || token(b) != kNoToken;
      if (!h.omniscient) continue;
      v.measure +=
          std::any_of(ids.begin(), ids.end(), [&](HoldId a) { return out_of_order(a, b); });
    }
    const auto acquired = h.omniscient ? std::vector<Acquisition>{} : acquisitions();
    for (const auto& b : acquired) {
      any = any || b.token != kNoToken;
      v.measure += std::any_of(acquired.begin(), acquired.end(),
                               [&](const auto& a) { return out_of_order(a, b); });
    }
    for (const auto& e : h.operations) {
      if (!issues(e)) continue;
      std::int64_t before = kNoToken;
      for (const auto& earlier : h.operations) {
        if (issues(earlier) && earlier.hold == e.hold && earlier.index < e.index) {
          before = earlier.token;
        }
      }
      if (e.token < before) ++v.measure;
    }
    if (!any) return not_applicable(Reason::needs_tokens);
    return violated_if(v.measure > 0, v);
  }

  [[nodiscard]] Verdict wrong(GrantChange kind) const {
    Verdict v;
    for (const auto& e : h.grants) v.measure += e.change == kind && e.by != e.hold;
    return violated_if(v.measure > 0, v);
  }

  // Was it told that all was given back, and did the service keep it?
  [[nodiscard]] bool kept(HoldId id) const {
    std::size_t acquired = 0, released = 0;
    const OperationEvent* last = nullptr;
    for (const char* f : {"acquire", "release"}) {
      const bool back = std::string_view(f) == "release";
      const auto asked = invoked(f);
      for (const auto& e : asked) {
        if (e.hold != id) continue;
        const auto* answer = next(e);
        if (!answer || answer->type != OperationType::ok || answer->hold != id) return false;
        ++(back ? released : acquired);
        if (back && (!last || last->index < answer->index)) last = answer;
      }
    }
    if (!last || released != acquired || last->index > probe_index()) return false;
    bool named = false;
    for (const auto& e : h.grants) {
      if (e.hold != id) continue;
      const bool command = e.change == GrantChange::released || e.change == GrantChange::forced;
      if (e.index > last->index && command) return false;
      if (e.index > last->index) continue;
      if (e.change == GrantChange::begin) named = true;
      if (ends(e.change)) named = false;
    }
    return named;
  }
  [[nodiscard]] Verdict wrong_release() const {
    Verdict v = wrong(GrantChange::wrong_release);
    for (const HoldId id : all()) v.measure += kept(id);
    return violated_if(v.measure > 0, v);
  }

  // For one lock: holds, violated, or undecided and why.  nullopt: not probed.
  [[nodiscard]] std::optional<Verdict> probe(NameId name) const {
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
    if (ok) return Verdict{};
    if (unanswered) return undecided(Reason::probe_unanswered);
    if (unknown) return undecided(Reason::probe_answer_unknown);
    if (held_between(name, failed->time, next(*failed)->time)) {
      return undecided(Reason::held_during_probe);
    }
    return violated_if(true, Verdict{});
  }
  [[nodiscard]] bool held_between(NameId name, Time from, Time until) const {
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
  [[nodiscard]] Verdict never_free_again() const {
    std::set<NameId> names{kNoName};
    for (NameId id = 0; id < h.names.size(); ++id) names.insert(id);
    Verdict v;
    bool any = false;
    std::set<Reason> doubts;
    for (const NameId name : names) {
      const auto one = probe(name);
      any = any || one;
      if (one && one->outcome == Ruling::violated) ++v.measure;
      if (one && one->outcome == Ruling::undecided) doubts.insert(one->reason);
    }
    if (!any) return undecided(Reason::no_probe);
    if (v.measure == 0 && !doubts.empty()) return undecided(*doubts.begin());
    return violated_if(v.measure > 0, v);
  }

  [[nodiscard]] Verdict starvation() const {
    if (o.patience_limited) return not_applicable(Reason::patience_limited);
    const auto* heal = phase(Phase::heal);
    if (!heal) return undecided(Reason::no_healing);
    if (o.starvation_bound < 0) return undecided(Reason::no_bound);
    Verdict v;
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
      v.outcome = Ruling::undecided;
      v.reason = Reason::pending_at_end;
      return v;
    }
    return violated_if(v.beside > 0, v);
  }

  [[nodiscard]] Time asked(HoldId id) const {
    if (!o.received.empty()) return id < o.received.size() ? o.received[id] : kNoTime;
    for (const auto& e : invoked("acquire")) {
      const auto* answer = next(e);
      if (answer && answer->type == OperationType::ok && answer->hold == id) return e.time;
    }
    return kNoTime;
  }
  [[nodiscard]] bool overtakes(HoldId other, HoldId id) const {
    return grant_of(id) && grant_of(other) && h.holds[id].lock == h.holds[other].lock &&
           asked(id) != kNoTime && asked(other) > asked(id) &&
           grant_of(other)->index < grant_of(id)->index;
  }
  [[nodiscard]] Verdict overtaking() const {
    Verdict v;
    for (const HoldId id : all()) {
      std::int64_t suffered = 0;
      for (const HoldId other : all()) suffered += overtakes(other, id);
      v.measure = std::max(v.measure, suffered);
      v.beside += suffered;
    }
    return violated_if(o.overtaking_limit >= 0 && v.measure > o.overtaking_limit, v);
  }

  [[nodiscard]] Verdict sold_twice() const {
    if (!o.seats) return not_applicable(Reason::other_workload);
    Verdict v;
    for (NameId seat = 0; seat < h.names.size(); ++seat) {
      std::set<HoldId> buyers;
      for (const auto& e : h.effects) {
        if (e.resource == seat && e.kind == EffectKind::write && e.acknowledged &&
            e.hold != kNoHold) {
          buyers.insert(e.hold);
        }
      }
      v.measure += buyers.size() >= 2;
    }
    return violated_if(v.measure > 0, v);
  }

  // ---- sometimes

  struct Interest {
    NameId lock;
    std::int32_t process;
    std::uint32_t from;
    std::uint32_t until;
    bool instant;  // at `from` and no longer
  };
  [[nodiscard]] bool contention() const {
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
        const bool meet = a.instant ? b.from < a.from && a.from < b.until
                                    : std::max(a.from, b.from) < std::min(a_until, b.until);
        if (meet) return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool two_foreign_holds() const {
    std::vector<OperationEvent> answers;
    for (const auto& e : h.operations) {
      if (e.process >= 0 && e.type == OperationType::ok && function(e) == "acquire" &&
          invocation(e) && e.index < probe_index()) {
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
  [[nodiscard]] bool two_holds() const {
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
  [[nodiscard]] bool came_true(HoldId id) const {
    const auto b = belief(id);
    const auto* grant = grant_of(id);
    return (b && b->began < probe_index()) || (grant && grant->index < probe_index());
  }
  [[nodiscard]] bool resource_shared() const {
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
  [[nodiscard]] bool someone_acquired() const {
    const auto ids = all();
    return std::any_of(ids.begin(), ids.end(), [&](HoldId id) {
      const auto b = belief(id);
      return b && b->began < probe_index();
    });
  }
  template <class Records, class Test>
  [[nodiscard]] bool any_of(const Records& records, Test test) const {
    return std::any_of(records.begin(), records.end(),
                       [&](const auto& e) { return e.index < probe_index() && test(e); });
  }
  [[nodiscard]] SometimesMask happened() const {
    SometimesMask mask = 0;
    const auto set = [&](Sometimes one, bool is) { mask |= is ? bit(one) : 0; };
    set(Sometimes::someone_acquired, someone_acquired());
    set(Sometimes::contention, contention());
    set(Sometimes::two_holds, two_holds());
    set(Sometimes::resource_shared, resource_shared());
    set(Sometimes::release_asked, any_of(h.operations, [&](const OperationEvent& e) {
          return e.process >= 0 && e.type == OperationType::invoke && function(e) == "release";
        }));
    set(Sometimes::renewal_happened,
        any_of(h.operations,
               [&](const OperationEvent& e) {
                 return e.process >= 0 && e.type == OperationType::ok && function(e) == "extend";
               }) ||
            any_of(h.grants, [](const GrantEvent& e) { return e.change == GrantChange::extend; }));
    set(Sometimes::resource_written,
        any_of(h.effects, [](const EffectEvent& e) { return e.kind == EffectKind::write; }));
    return mask;
  }

  // ---- deadlock

  [[nodiscard]] std::set<std::string> names_in(NameId lock) const {
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
  // The hold for which this client waits at t; kNoHold if it does not wait.
  [[nodiscard]] HoldId waits(NameId client, Time t) const {
    HoldId wanted = kNoHold;
    std::uint32_t since = 0;
    for (const auto& e : h.operations) {
      if (e.process < 0 || e.hold == kNoHold || e.time > t || h.holds[e.hold].client != client) continue;
      const bool asks = e.type == OperationType::invoke && function(e) == "acquire";
      wanted = asks ? e.hold : kNoHold;
      since = e.index;
    }
    for (const auto& e : h.processes) {
      const bool died = e.client == client && e.change == ProcessChange::died && e.time <= t;
      if (died && e.index > since) wanted = kNoHold;
    }
    return wanted;
  }
  // The hold on "x+y" that this client asked for together with this one, on x.
  [[nodiscard]] HoldId whole(HoldId part) const {
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
  // Granted, and not given back since.
  [[nodiscard]] bool got(HoldId id, Time t) const {
    bool has = false;
    for (const auto& g : h.grants) {
      if (g.hold != id || g.time > t) continue;
      if (g.change == GrantChange::begin) has = true;
      if (g.change == GrantChange::released || g.change == GrantChange::forced) has = false;
    }
    return has;
  }
  [[nodiscard]] bool blocks(HoldId held, HoldId wanted, Time t) const {
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
  [[nodiscard]] std::set<NameId> clients() const {
    std::set<NameId> names;
    for (const HoldId id : all()) names.insert(h.holds[id].client);
    return names;
  }
  // Clients from which one comes back to oneself.
  [[nodiscard]] std::set<NameId> in_cycles(Time t) const {
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
  [[nodiscard]] Verdict deadlock() const {
    if (o.permits > 1) return not_applicable(Reason::several_permits);
    Verdict v;
    std::set<NameId> before;
    for (Time t = 0; t <= horizon(); ++t) {
      const auto stuck = in_cycles(t);
      v.measure += !std::includes(before.begin(), before.end(), stuck.begin(), stuck.end());
      v.beside += !stuck.empty() && t < horizon();
      before = stuck;
    }
    return violated_if(v.measure > 0, v);
  }

  // ---- lost wake-up

  [[nodiscard]] Verdict lost_wake_up() const {
    if (o.patience_limited) return not_applicable(Reason::patience_limited);
    if (o.permits > 1) return not_applicable(Reason::several_permits);
    const auto* heal = phase(Phase::heal);
    if (!heal) return undecided(Reason::no_healing);
    if (o.wake_up_bound < 0) return undecided(Reason::no_bound);
    const auto* probe = phase(Phase::probe);
    const Time end = probe ? probe->time : horizon();
    Verdict v;
    bool waiting = false;
    for (const auto& e : invoked("acquire")) {
      if (by_probe(e) || e.hold == kNoHold || e.index > probe_index()) continue;
      const auto* answer = next(e);
      if (answer ? answer->index < probe_index() : death(e) < end) continue;
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

  [[nodiscard]] std::set<NameId> locks() const {
    std::set<NameId> names;
    for (const HoldId id : all()) names.insert(h.holds[id].lock);
    return names;
  }
  static Verdict violated_if(bool yes, Verdict v) {
    if (yes) v.outcome = Ruling::violated;
    return v;
  }

  const History& h;
  const JudgeOptions& o;
};

Verdict raw(Property property, const Observer& observer) {
  switch (property) {
    case Property::mutual_exclusion:
      return observer.mutual_exclusion();
    case Property::double_grant:
      return observer.double_grant();
    case Property::lost_update:
      return observer.lost_update();
    case Property::stale_write:
      return observer.stale_write();
    case Property::late_write:
      return observer.late_write();
    case Property::fencing_monotonicity:
      return observer.fencing();
    case Property::wrong_release:
      return observer.wrong_release();
    case Property::wrong_renewal:
      return observer.wrong(GrantChange::wrong_renewal);
    case Property::never_free_again:
      return observer.never_free_again();
    case Property::starvation:
      return observer.starvation();
    case Property::overtaking:
      return observer.overtaking();
    case Property::sold_twice:
      return observer.sold_twice();
    case Property::deadlock:
      return observer.deadlock();
    case Property::lost_wake_up:
      return observer.lost_wake_up();
  }
  return {};
}

template <class Records>
const typename Records::value_type* find(const Records& records, std::uint32_t index) {
  for (const auto& e : records) {
    if (e.index == index) return &e;
  }
  return nullptr;
}

bool proves_mutual_exclusion(const Witness& w, const Observer& observer) {
  const std::vector<HoldId> holds(w.all_holds().begin(), w.all_holds().end());
  const std::set<HoldId> distinct(holds.begin(), holds.end());
  bool together = false;
  for (Time t = 0; t < observer.horizon(); ++t) {
    together = together || std::all_of(holds.begin(), holds.end(),
                                       [&](HoldId id) { return observer.believes(id, t); });
  }
  for (const std::uint32_t index : w.all_events()) {
    const auto* e = find(observer.h.beliefs, index);
    if (!e || !distinct.contains(e->hold)) return false;
  }
  return together && distinct.size() == holds.size() && holds.size() == observer.o.permits + 1 &&
         observer.conflict(holds) && w.event_count >= 1;
}

bool proves_double_grant(const Witness& w, const Observer& observer) {
  const auto* begin = find(observer.h.grants, w.events[w.event_count - 1u]);
  const std::vector<HoldId> holds(w.all_holds().begin(), w.all_holds().end());
  if (!begin || begin->change != GrantChange::begin || holds.back() != begin->hold) return false;
  for (const HoldId id : holds) {
    if (id != begin->hold && !observer.promised(id, begin->time)) return false;
    if (observer.h.holds[id].lock != observer.h.holds[begin->hold].lock) return false;
  }
  for (std::size_t i = 0; i + 1 < w.event_count; ++i) {
    const auto* promise = find(observer.h.grants, w.events[i]);
    if (promise->hold != holds[i] || promise->until <= begin->time) return false;
  }
  return observer.conflict(holds) && holds.size() == observer.o.permits + 1;
}

template <class Records>
void time_of(const Records& records, std::uint32_t index, Time& time) {
  if (const auto* e = find(records, index)) time = e->time;
}

// Does each hold's client wait for the next hold when the cycle has closed?
bool proves_deadlock(const Witness& w, const Observer& observer) {
  Time t = -1;
  time_of(observer.h.operations, w.events[0], t);
  time_of(observer.h.beliefs, w.events[0], t);
  time_of(observer.h.grants, w.events[0], t);
  for (std::size_t i = 0; i < w.hold_count; ++i) {
    const HoldId wanted = observer.waits(observer.h.holds[w.holds[i]].client, t);
    const HoldId next = w.holds[(i + 1) % w.hold_count];
    if (wanted == kNoHold || !observer.blocks(next, wanted, t)) return false;
  }
  return w.hold_count > 0;
}

}  // namespace

Verdict judge(Property property, const History& history, const JudgeOptions& options) {
  const Observer observer(history, options);
  Verdict v = raw(property, observer);
  v.property = property;
  if (v.outcome != Ruling::holds) return v;
  const auto wanted =
      info(property).sometimes | options.also_requires[static_cast<std::size_t>(property)];
  const auto missing = wanted & ~observer.happened();
  if (options.budget_exhausted) {
    v.outcome = Ruling::undecided;
    v.reason = Reason::budget_exhausted;
  } else if (missing != 0) {
    v.outcome = Ruling::undecided;
    v.reason = Reason::vacuous;
    for (std::size_t i = kSometimesCount; i-- > 0;) {
      if (missing >> i & 1u) v.missing = static_cast<Sometimes>(i);
    }
  }
  return v;
}

SometimesMask happened(const History& history, const JudgeOptions& options) {
  return Observer(history, options).happened();
}

bool proves(const Verdict& verdict, const History& history, const JudgeOptions& options) {
  const Observer observer(history, options);
  const Witness& w = verdict.witness;
  const auto effect = [&](std::size_t i) { return *find(history.effects, w.events[i]); };
  switch (verdict.property) {
    case Property::mutual_exclusion:
      return proves_mutual_exclusion(w, observer);
    case Property::double_grant:
      return proves_double_grant(w, observer);
    case Property::lost_update:
      return Observer::loses(effect(1), effect(0));
    case Property::stale_write:
      return observer.makes_stale(effect(0), effect(1));
    case Property::late_write:
      return observer.is_late(effect(0));
    case Property::fencing_monotonicity: {
      if (!history.omniscient) return w.event_count == 2;
      if (w.hold_count == 2) return observer.out_of_order(w.holds[0], w.holds[1]);
      const auto* first = find(history.operations, w.events[0]);
      const auto* second = find(history.operations, w.events[1]);
      return first->index < second->index && first->token > second->token &&
             first->hold == second->hold;
    }
    case Property::wrong_release:
    case Property::wrong_renewal: {
      const auto* e = find(history.grants, w.events[0]);
      if (!e) return observer.kept(w.holds[0]);
      return e->hold == w.holds[0] && e->by != e->hold;
    }
    case Property::never_free_again: {
      const auto* invoked = find(history.operations, w.events[0]);
      return observer.probe(observer.lock(*invoked))->outcome == Ruling::violated;
    }
    case Property::starvation:
      return find(history.operations, w.events[0])->type == OperationType::invoke;
    case Property::overtaking:
      return observer.overtakes(w.holds[1], w.holds[0]);
    case Property::sold_twice: {
      const EffectEvent a = effect(0), b = effect(1);
      return a.resource == b.resource && a.hold != b.hold && a.acknowledged && b.acknowledged;
    }
    case Property::deadlock:
      return proves_deadlock(w, observer);
    case Property::lost_wake_up: {
      const auto* asked = find(history.operations, w.events[0]);
      return asked->type == OperationType::invoke && asked->hold == w.holds[0];
    }
  }
  return false;
}

}  // namespace picklock::reference
