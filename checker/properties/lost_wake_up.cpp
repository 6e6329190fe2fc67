#include "checker/properties/lost_wake_up.hpp"

#include <algorithm>

#include "checker/properties/deadlock.hpp"
#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct LockState {
  std::int64_t moved = kNoTime;  // the last record that tells of it
  std::uint32_t writers = 0;     // holds that the service names
  std::uint32_t readers = 0;
};

class Observer {
 public:
  Observer(const History& history, Scratch& scratch)
      : h_(history), s_(scratch), locks_(scratch.workspace.table<LockState>(slots(history.names))) {}

  // Up to the end of the settle phase.
  void watch() {
    const auto owned = s_.workspace.table<bool>(s_.holds.size());
    for (const GrantEvent& e : h_.grants) {
      if (e.index > s_.probe_index || e.hold == kNoHold) continue;
      LockState& lock = moves(e.hold, e.time);
      std::uint32_t& number = h_.holds[e.hold].mode == HoldMode::write ? lock.writers : lock.readers;
      const bool begins = e.change == GrantChange::begin;
      const bool ends = ends_ownership(e.change);
      if (begins && !owned[e.hold]) ++number;
      if (ends && owned[e.hold]) --number;
      if (begins || ends) owned[e.hold] = begins;
    }
    for (const BeliefEvent& e : h_.beliefs) {
      if (e.index < s_.probe_index && e.hold != kNoHold) moves(e.hold, e.time);
    }
    for (const OperationEvent& e : h_.operations) {
      const bool about_a_lock = s_.role(e) == Role::acquire || s_.role(e) == Role::release;
      if (e.index < s_.probe_index && e.hold != kNoHold && about_a_lock) moves(e.hold, e.time);
    }
  }

  // Since when has the lock been free for this request, with no client moving?  kNoTime: it is not.
  std::int64_t still_since(HoldId wanted) const {
    std::int64_t since = kNoTime;
    const HoldInfo& wants = h_.holds[wanted];
    for (std::size_t i = 1; i < locks_.size(); ++i) {
      if (!stands_for(h_.names, wants.lock, static_cast<NameId>(i - 1))) continue;
      const LockState& lock = locks_[i];
      if (lock.writers > 0 || (lock.readers > 0 && wants.mode == HoldMode::write)) return kNoTime;
      since = std::max(since, lock.moved);
    }
    return since;
  }

 private:
  LockState& moves(HoldId hold, std::int64_t time) {
    LockState& lock = locks_[slot(h_.holds[hold].lock)];
    lock.moved = std::max(lock.moved, time);
    return lock;
  }

  const History& h_;
  Scratch& s_;
  std::span<LockState> locks_;
};

// Is one of the locks that this hold stands for one whose owner was never seen?  It looks free all the time.
bool is_unseen(const History& history, const Scratch& scratch, HoldId wanted) {
  for (std::size_t i = 1; i < scratch.unseen.size(); ++i) {
    if (scratch.unseen[i] && stands_for(history.names, history.holds[wanted].lock, static_cast<NameId>(i - 1)))
      return true;
  }
  return false;
}

// Does this client ask to the end of the settle phase?
bool waits(const History& history, Scratch& scratch, const LockRequest& request, std::int64_t end) {
  if (!request.acquires || request.by_probe) return false;
  const OperationEvent& e = history.operations[request.position];
  if (e.index > scratch.probe_index || e.hold == kNoHold || is_unseen(history, scratch, e.hold)) return false;
  const std::uint32_t other = scratch.partner[request.position];
  if (other == kNowhere) return death_while_pending(history, scratch, request.position) >= end;
  return history.operations[other].index >= scratch.probe_index;
}

}  // namespace

Finding lost_wake_up(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  if (options.patience_limited) return not_applicable(Reason::patience_limited);
  if (options.permits > 1) return not_applicable(Reason::several_permits);
  if (scratch.heal_time == kNoTime) return undecided(Reason::no_healing);
  if (options.wake_up_bound < 0) return undecided(Reason::no_bound);
  const std::int64_t end = end_of_settling(history, scratch);
  const auto waits_to_the_end = [&](const LockRequest& request) { return waits(history, scratch, request, end); };
  Finding finding;
  if (std::none_of(scratch.requests.begin(), scratch.requests.end(), waits_to_the_end)) return finding;
  Observer observer(history, scratch);
  observer.watch();
  bool somebody_waits = false;
  for (const LockRequest& request : scratch.requests) {
    if (!waits_to_the_end(request)) continue;
    const OperationEvent& e = history.operations[request.position];
    const std::int64_t since = observer.still_since(e.hold);
    if (since == kNoTime) continue;
    const std::int64_t stood = end - std::max(since, scratch.heal_time);
    if (stood <= options.wake_up_bound) {
      somebody_waits = true;
      continue;
    }
    ++finding.beside;
    if (stood <= finding.measure) continue;
    finding.verdict = Verdict::violated;
    finding.measure = stood;
    finding.witness = {};
    finding.witness.add_hold(e.hold);
    finding.witness.add_event(e.index);
  }
  if (finding.verdict == Verdict::holds && somebody_waits) return undecided(Reason::pending_at_end);
  return finding;
}

std::string explain_lost_wake_up(const Finding& finding, const History& history, const JudgeOptions& options) {
  const OperationEvent* const asked = find_record(history.operations, finding.witness.events[0]);
  std::string text = who(history, asked->hold) + " has waited since " + in_milliseconds(asked->time) + " for " +
                     lock_held(history, asked->hold) + ", which is free; for the last " +
                     in_milliseconds(finding.measure) + " no client moved";
  if (options.wake_up_bound >= 0) text += "; the bound is " + in_milliseconds(options.wake_up_bound);
  if (finding.beside > 1) text += "; " + count(finding.beside, "client") + " wait in all";
  return text;
}

}  // namespace picklock
