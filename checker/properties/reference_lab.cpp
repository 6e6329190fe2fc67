#include "checker/properties/reference_lab.hpp"

#include <algorithm>

#include "checker/properties/properties.hpp"
#include "checker/properties/reference/definitions_lab.hpp"
#include "checker/properties/words.hpp"

namespace picklock::reference {
namespace {

Finding raw(Property property, const History& h, const JudgeOptions& o) {
  switch (property) {
    case Property::mutual_exclusion:
      return Exclusion(h, o).mutual_exclusion();
    case Property::double_grant:
      return Exclusion(h, o).double_grant();
    case Property::lost_update:
      return Effects(h, o).lost_update();
    case Property::stale_write:
      return Effects(h, o).stale_write();
    case Property::late_write:
      return Effects(h, o).late_write();
    case Property::fencing_monotonicity:
      return Fencing(h, o).fencing();
    case Property::wrong_release:
      return Releases(h, o).wrong(GrantChange::wrong_release);
    case Property::unreleased:
      return Releases(h, o).unreleased();
    case Property::wrong_renewal:
      return Releases(h, o).wrong(GrantChange::wrong_renewal);
    case Property::never_free_again:
      return Waiting(h, o).never_free_again();
    case Property::starvation:
      return Waiting(h, o).starvation();
    case Property::overtaking:
      return Waiting(h, o).overtaking();
    case Property::sold_twice:
      return Effects(h, o).sold_twice();
    case Property::deadlock:
      return Deadlocks(h, o).deadlock();
    case Property::lost_wake_up:
      return Waiting(h, o).lost_wake_up();
    case Property::orphaned:
      return Serving(h, o).orphaned();
    case Property::unserved:
      return Serving(h, o).unserved();
  }
  return {};
}

}  // namespace

Finding judge(Property property, const History& history, const JudgeOptions& options) {
  Finding v = raw(property, history, options);
  const Observer observer(history, options);
  const auto names = observer.locks();
  const bool unseen = std::any_of(names.begin(), names.end(), [&](NameId name) { return observer.unseen(name); });
  const bool rests_on_grants = (info(property).needs & static_cast<std::uint8_t>(Needs::grants)) != 0;
  const bool open = v.verdict == Verdict::holds || v.verdict == Verdict::undecided;
  if (unseen && rests_on_grants && open) v = not_applicable(Reason::owner_never_named);
  v.property = property;
  if (v.verdict != Verdict::holds) return v;
  const auto wanted = info(property).sometimes | options.also_requires[static_cast<std::size_t>(property)];
  const auto missing = wanted & ~happened(history, options);
  if (options.budget_exhausted) {
    v.verdict = Verdict::undecided;
    v.reason = Reason::budget_exhausted;
  } else if (missing != 0) {
    v.verdict = Verdict::undecided;
    v.reason = Reason::vacuous;
    for (std::size_t i = kSometimesCount; i-- > 0;) {
      if (missing >> i & 1u) v.missing = static_cast<Sometimes>(i);
    }
  }
  return v;
}

SometimesMask happened(const History& history, const JudgeOptions& options) {
  return Happenings(history, options).happened();
}

bool proves(const Finding& finding, const History& history, const JudgeOptions& options) {
  const Witness& w = finding.witness;
  const auto effect = [&](std::size_t i) { return *find(history.effects, w.events[i]); };
  switch (finding.property) {
    case Property::mutual_exclusion:
      return Exclusion(history, options).proves_mutual_exclusion(w);
    case Property::double_grant:
      return Exclusion(history, options).proves_double_grant(w);
    case Property::lost_update:
      return w.event_count == 1 ? Effects::is_swallowed(effect(0)) : Effects::loses(effect(1), effect(0));
    case Property::stale_write:
      return Effects(history, options).makes_stale(effect(0), effect(1));
    case Property::late_write:
      return Effects(history, options).is_late(effect(0));
    case Property::fencing_monotonicity: {
      if (!history.omniscient) return w.event_count == 2;
      if (w.hold_count == 2) return Fencing(history, options).out_of_order(w.holds[0], w.holds[1]);
      const auto* first = find(history.operations, w.events[0]);
      const auto* second = find(history.operations, w.events[1]);
      return first->index < second->index && first->token > second->token && first->hold == second->hold;
    }
    case Property::wrong_release:
    case Property::wrong_renewal: {
      const auto* e = find(history.grants, w.events[0]);
      return e->hold == w.holds[0] && e->by != e->hold;
    }
    case Property::unreleased:
      return Releases(history, options).kept(w.holds[0]);
    case Property::never_free_again: {
      const Waiting waiting(history, options);
      const auto* invoked = find(history.operations, w.events[0]);
      return waiting.probe(waiting.lock(*invoked))->verdict == Verdict::violated;
    }
    case Property::starvation:
      return find(history.operations, w.events[0])->type == OperationType::invoke;
    case Property::overtaking:
      return Waiting(history, options).overtakes(w.holds[1], w.holds[0]);
    case Property::sold_twice: {
      const EffectEvent a = effect(0), b = effect(1);
      return a.resource == b.resource && a.hold != b.hold && a.acknowledged && b.acknowledged;
    }
    case Property::deadlock:
      return Deadlocks(history, options).proves_deadlock(w);
    case Property::lost_wake_up: {
      const auto* asked = find(history.operations, w.events[0]);
      return asked->type == OperationType::invoke && asked->hold == w.holds[0];
    }
    case Property::orphaned: {
      const Serving serving(history, options);
      const Time from = time_of_record(history, w.events[0]);
      const bool ended = w.event_count > 1;
      Time until = ended ? time_of_record(history, w.events[1]) : serving.horizon();
      if (!ended && options.ends_untold) {  // its promise ended it
        for (until = from; until < serving.horizon() && serving.is_orphan(w.holds[0], until);) ++until;
      }
      for (Time t = from; t < until; ++t) {
        if (!serving.is_orphan(w.holds[0], t)) return false;
      }
      return until - from > options.orphan_bound;
    }
    case Property::unserved: {
      const auto* asked = find(history.operations, w.events[0]);
      return asked->hold == w.holds[0] && Serving(history, options).unserved_for(*asked) == finding.measure;
    }
  }
  return false;
}

}  // namespace picklock::reference
