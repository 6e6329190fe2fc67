#include "checker/properties/orphaned.hpp"

#include <algorithm>
#include <utility>

#include "checker/properties/deadlock.hpp"
#include "checker/properties/in_order.hpp"
#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct Ownership {
  bool owned = false;
  bool believed = false;
  bool of_probe = false;
  bool touched = false;            // true: a record at this instant touched it
  std::uint32_t last = kNowhere;   // index of the last record that touched it
  std::uint32_t began = kNowhere;  // index of the record that made it an orphan
  std::int64_t since = kNoTime;    // kNoTime: it is no orphan
  std::int64_t until = kNoTime;    // end of its promise
  std::int64_t lasts = kEndless;   // an orphan, if nothing touches it: what was promised at the last look
};

// Notes the time for which a hold is promised after this change.
void promise(const GrantEvent& e, std::int64_t& until) {
  const bool says = e.until != kNoTime;
  if (e.change == GrantChange::begin && says) until = e.until;
  if (e.change == GrantChange::extend && says && until != kNoTime) until = e.until;
  if (e.change == GrantChange::released || e.change == GrantChange::forced) until = kNoTime;
}

// End of the promise that the hold had at this record, with all that prolonged it in time.
std::int64_t end_of_promise(const History& history, HoldId hold, std::uint32_t record, std::int64_t otherwise) {
  std::int64_t until = kNoTime;
  for (const GrantEvent& e : history.grants) {
    if (e.hold != hold) continue;
    if (e.index > record && e.time > until) break;
    promise(e, until);
  }
  return std::min(until, otherwise);
}

class OrphanSweep {
 public:
  OrphanSweep(const History& history, const JudgeOptions& options, Scratch& scratch)
      : h_(history),
        s_(scratch),
        bound_(options.orphan_bound),
        ends_untold_(options.ends_untold),
        from_(options.counts_from_healing ? scratch.heal_time : 0),
        several_(names_several(history)),
        holds_(scratch.workspace.table<Ownership>(scratch.holds.size())),
        touched_(scratch.workspace.table<HoldId>(scratch.holds.size())),
        asked_(scratch.workspace.zeros<HoldId>(slots(history.names))) {
    for (const LockRequest& request : scratch.requests) {
      if (request.acquires && request.by_probe) holds_[history.operations[request.position].hold].of_probe = true;
    }
  }

  Finding run() {
    show_in_order(h_, *this);
    look();
    bool open = false;
    for (HoldId hold = 1; hold < holds_.size(); ++hold) {
      if (holds_[hold].since == kNoTime) continue;
      const bool over = holds_[hold].lasts <= s_.horizon;
      open = open || !over;
      close(hold, over ? holds_[hold].lasts : s_.horizon, kNowhere);
    }
    if (finding_.verdict == Verdict::holds && open) {
      finding_.verdict = Verdict::undecided;
      finding_.reason = Reason::pending_at_end;
    }
    return finding_;
  }

  void at(std::int64_t time) {
    if (time == now_) return;
    look();
    now_ = time;
  }
  void see(const OperationEvent& e) {
    if (e.process < 0 || e.hold == kNoHold) return;
    const Role role = s_.role(e);
    const bool asks = e.type == OperationType::invoke && (role == Role::acquire || role == Role::release);
    ask(h_.holds[e.hold].client, asks ? e.hold : kNoHold, e.index);
  }
  void see(const BeliefEvent& e) {
    const HoldFacts& facts = s_.holds[e.hold];
    if (e.index == facts.belief_began) holds_[e.hold].believed = true;
    if (e.index == facts.belief_ended) holds_[e.hold].believed = false;
    touch(e.hold, e.index);
  }
  void see(const GrantEvent& e) {
    if (e.change == GrantChange::begin) holds_[e.hold].owned = true;
    if (ends_ownership(e.change)) holds_[e.hold].owned = false;
    promise(e, holds_[e.hold].until);
    touch(e.hold, e.index);
  }
  void see(const ProcessEvent& e) {
    if (e.change == ProcessChange::died) ask(e.client, kNoHold, e.index);
  }

 private:
  // The client acquires or releases this hold from now on; kNoHold: none.
  void ask(NameId client, HoldId hold, std::uint32_t index) {
    const HoldId before = std::exchange(asked_[slot(client)], hold);
    touch_whole(before, index);
    touch_whole(hold, index);
  }
  void touch_whole(HoldId hold, std::uint32_t index) {
    touch(hold, index);
    if (!several_ || hold == kNoHold) return;
    for_each_part(h_, hold, [&](HoldId part) { touch(part, index); });
  }
  void touch(HoldId hold, std::uint32_t index) {
    if (hold == kNoHold) return;
    holds_[hold].last = index;
    if (!std::exchange(holds_[hold].touched, true)) touched_[touches_++] = hold;
  }

  bool is_orphan(HoldId hold) const {
    const Ownership& state = holds_[hold];
    if (!state.owned || state.believed || state.of_probe) return false;
    if (ends_untold_ && state.until <= now_) return false;
    const HoldId asked = asked_[slot(h_.holds[hold].client)];
    if (asked == kNoHold) return true;
    return asked != hold && !(several_ && asked == whole_of(h_, hold));
  }

  void look() {
    for (std::uint32_t i = 0; i < touches_; ++i) {
      Ownership& state = holds_[touched_[i]];
      state.touched = false;
      if (state.since != kNoTime && state.lasts < now_) close(touched_[i], state.lasts, kNowhere);
      if (ends_untold_) state.lasts = state.until;
      const bool orphan = is_orphan(touched_[i]);
      if (orphan == (state.since != kNoTime)) continue;
      if (!orphan) {
        close(touched_[i], now_, state.last);
      } else {
        state.since = now_;
        state.began = state.last;
      }
    }
    touches_ = 0;
  }

  void close(HoldId hold, std::int64_t time, std::uint32_t ended) {
    Ownership& state = holds_[hold];
    const std::int64_t counted = time - std::max(state.since, from_);
    finding_.measure = std::max(finding_.measure, time - state.since);
    state.since = kNoTime;
    if (counted <= bound_) return;
    ++finding_.beside;
    if (counted <= longest_) return;
    longest_ = counted;
    finding_.verdict = Verdict::violated;
    finding_.witness = {};
    finding_.witness.add_hold(hold);
    finding_.witness.add_event(state.began);
    if (ended != kNowhere) finding_.witness.add_event(ended);
  }

  const History& h_;
  const Scratch& s_;
  const std::int64_t bound_;
  const bool ends_untold_;
  const std::int64_t from_;
  const bool several_;
  std::span<Ownership> holds_;
  std::span<HoldId> touched_;
  std::span<HoldId> asked_;  // index: slot of the client
  std::uint32_t touches_ = 0;
  std::int64_t now_ = kNoTime, longest_ = 0;
  Finding finding_;
};

}  // namespace

Finding orphaned(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  if (options.counts_from_healing && scratch.heal_time == kNoTime) return undecided(Reason::no_healing);
  if (options.orphan_bound < 0) return undecided(Reason::no_bound);
  return OrphanSweep(history, options, scratch).run();
}

std::string explain_orphaned(const Finding& finding, const History& history, const JudgeOptions& options) {
  Scratch scratch;
  scratch.prepare(history, options);
  const HoldId hold = finding.witness.holds[0];
  const bool ended = finding.witness.event_count > 1;
  const std::int64_t from = time_of_record(history, finding.witness.events[0]);
  const std::int64_t until = ended ? time_of_record(history, finding.witness.events[1])
                             : options.ends_untold
                                 ? end_of_promise(history, hold, finding.witness.events[0], scratch.horizon)
                                 : scratch.horizon;
  std::string text = "the service named " + who(history, hold) + " as owner of " + lock_held(history, hold) + " from " +
                     in_milliseconds(from) + " " +
                     (until < scratch.horizon || ended ? "to " + in_milliseconds(until) : "to the end of the run") +
                     ", while no living client believed in that hold, acquired it or released it: an orphan for " +
                     in_milliseconds(until - from);
  if (options.counts_from_healing && from < scratch.heal_time) {
    text += ", of which " + in_milliseconds(until - scratch.heal_time) + " after healing";
  }
  text += "; the bound is " + in_milliseconds(options.orphan_bound) + ", and " +
          (options.ends_by.empty() ? "no time ends a hold of this lock"
                                   : "what ends a hold is its " + std::string(options.ends_by));
  if (finding.beside > 1) text += "; " + count(finding.beside, "orphan") + " in all";
  return text;
}

}  // namespace picklock
