#include "checker/properties/fencing_monotonicity.hpp"

#include <algorithm>

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// A token that was handed out, and where to find that in the history.
struct Issued {
  std::int64_t token = kNoToken;
  HoldId hold = kNoHold;
  std::uint32_t index = 0;
};

// The largest tokens of the holds before.
struct Largest {
  Issued of_writers;
  Issued of_all;

  void add(const Issued& issued, HoldMode mode) {
    if (issued.token > of_all.token) of_all = issued;
    if (mode == HoldMode::write && issued.token > of_writers.token) of_writers = issued;
  }
  // A reader is ordered after writers only.
  [[nodiscard]] const Issued& before(HoldMode mode) const { return mode == HoldMode::write ? of_all : of_writers; }
};

class Check {
 public:
  Check(const History& history, Scratch& scratch)
      : history_(history), scratch_(scratch), newest_(scratch.workspace.table<Issued>(scratch.holds.size())) {}

  Finding run() {
    within_holds();
    bool any = anonymous_ && !history_.omniscient;
    for (HoldId id = 1; id < history_.holds.size(); ++id) {
      if (history_.holds[id].token != kNoToken) newest_[id].token = history_.holds[id].token;
      any = any || newest_[id].token != kNoToken;
    }
    if (!any) return not_applicable(Reason::needs_tokens);
    if (history_.omniscient) {
      by_grants();
    } else {
      by_acquires();
    }
    return finding_;
  }

 private:
  [[nodiscard]] bool issues(const OperationEvent& e) const {
    const Role role = scratch_.role(e);
    return e.process >= 0 && e.type == OperationType::ok && e.token != kNoToken &&
           (role == Role::acquire || role == Role::extend);
  }

  // Tokens within a hold never decrease; the last is the newest.
  void within_holds() {
    for (std::size_t i = 0; i < history_.operations.size(); ++i) {
      const OperationEvent& e = history_.operations[i];
      if (!issues(e)) continue;
      if (e.hold == kNoHold) {
        const bool acquires = scratch_.role(e) == Role::acquire;
        anonymous_ = anonymous_ || (acquires && scratch_.partner[i] != kNowhere);
        continue;
      }
      Issued& newest = newest_[e.hold];
      const Issued issued{e.token, e.hold, e.index};
      if (e.token < newest.token) note(newest, issued);
      newest = issued;
    }
  }

  // For each hold: the hold whose place it has taken over.
  std::span<HoldId> taken_over() {
    const auto from = scratch_.workspace.table<HoldId>(history_.holds.size(), kNoHold);
    for (const GrantEvent& e : history_.grants) {
      const bool passes_on = e.change == GrantChange::released && e.by != e.hold && e.by != kNoHold;
      if (passes_on && from[e.by] == kNoHold) from[e.by] = e.hold;
    }
    return from;
  }

  void by_grants() {
    const auto locks = scratch_.workspace.table<Largest>(slots(history_.names));
    const std::span<const HoldId> from = taken_over();
    for (std::uint32_t i = 0; i < history_.grants.size(); ++i) {
      const GrantEvent& e = history_.grants[i];
      if (e.hold == kNoHold || scratch_.holds[e.hold].rank != i) continue;
      const HoldInfo& info = history_.holds[e.hold];
      const Issued issued{newest_[e.hold].token, e.hold, e.index};
      const HoldId before = from[e.hold];
      const bool same_token = before != kNoHold && newest_[before].token == issued.token;
      if (!same_token) compare(locks[slot(info.lock)].before(info.mode), issued);
      locks[slot(info.lock)].add(issued, info.mode);
    }
  }

  // Remembers until an acquire returns which others had returned when it was invoked.
  void by_acquires() {
    const auto& operations = history_.operations;
    const auto locks = scratch_.workspace.table<Largest>(slots(history_.names));
    const auto then = scratch_.workspace.table<Issued>(operations.size());
    const auto seen = scratch_.workspace.table<bool>(scratch_.holds.size(), false);
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const OperationEvent& e = operations[i];
      const std::uint32_t other = scratch_.partner[i];
      if (e.process < 0 || other == kNowhere || scratch_.role(e) != Role::acquire) continue;
      const std::uint32_t answered = e.type == OperationType::invoke ? other : i;
      const OperationEvent& answer = operations[answered];
      if (answer.type != OperationType::ok) continue;
      const HoldId hold = answer.hold;
      const HoldMode mode = hold == kNoHold ? HoldMode::write : history_.holds[hold].mode;
      const NameId name = hold == kNoHold ? lock_of(history_, scratch_, answered) : history_.holds[hold].lock;
      Largest& lock = locks[slot(name)];
      if (e.type == OperationType::invoke) {
        then[i] = lock.before(mode);
        continue;
      }
      if (hold != kNoHold && seen[hold]) continue;  // a nested acquire
      seen[hold] = true;
      const std::int64_t token = hold == kNoHold ? e.token : newest_[hold].token;
      const Issued issued{token, hold, e.index};
      compare(then[other], issued);
      lock.add(issued, mode);
    }
  }

  void compare(const Issued& before, const Issued& after) {
    if (before.token == kNoToken || after.token == kNoToken) return;
    if (after.token <= before.token) note(before, after);
  }

  void note(const Issued& before, const Issued& after) {
    if (finding_.measure++ > 0) return;
    finding_.verdict = Verdict::violated;
    if (before.hold != kNoHold) finding_.witness.add_hold(before.hold);
    if (after.hold != before.hold) finding_.witness.add_hold(after.hold);
    finding_.witness.add_event(before.index);
    finding_.witness.add_event(after.index);
  }

  const History& history_;
  Scratch& scratch_;
  std::span<Issued> newest_;  // index: HoldId
  bool anonymous_ = false;    // a token was issued to an acquire without a hold
  Finding finding_;
};

std::string token_text(const History& history, HoldId hold) {
  std::int64_t token = history.holds[hold].token;
  for (const OperationEvent& e : history.operations) {
    if (history.holds[hold].token != kNoToken) break;
    if (e.hold == hold && e.type == OperationType::ok && e.token != kNoToken) token = e.token;
  }
  return token == kNoToken ? "unknown" : std::to_string(token);
}

}  // namespace

Finding fencing_monotonicity(const History& history, const JudgeOptions&, Scratch& scratch) {
  return scratch.signs.token ? Check(history, scratch).run() : not_applicable(Reason::needs_tokens);
}

std::string explain_fencing_monotonicity(const Finding& finding, const History& history, const JudgeOptions&) {
  const Witness& witness = finding.witness;
  std::string text;
  if (witness.hold_count == 2) {
    text = lock_held(history, witness.holds[0]) + " went to " + who(history, witness.holds[0]) + " with token " +
           token_text(history, witness.holds[0]) + " and later to " + who(history, witness.holds[1]) + " with token " +
           token_text(history, witness.holds[1]) + ", which is not greater";
  } else {
    const OperationEvent* const first = find_record(history.operations, witness.events[0]);
    const OperationEvent* const second = find_record(history.operations, witness.events[1]);
    const std::string whom = witness.hold_count == 1 ? who(history, witness.holds[0]) : std::string("an acquire");
    text = whom + " got token " + std::to_string(first->token) + " at index " + std::to_string(first->index) + " and " +
           (witness.hold_count == 1 ? "then" : "a later one") + " token " + std::to_string(second->token) +
           " at index " + std::to_string(second->index);
  }
  if (finding.measure > 1) text += "; " + count(finding.measure, "such step") + " in all";
  return text;
}

}  // namespace picklock
