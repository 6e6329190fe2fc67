#include "checker/models/owned_lock.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {

// The owner of a release that names no hold is the hold that its process acquired last, while that lasts.
OwnerKey OwnedLock::key_of(const OperationEvent& event, LockAction action) {
  if (event.hold == kNoHold && aliased_ && !takes(action)) {
    if (const HoldId hold = aliases_[event.process]; hold != kNoHold) return -1 - OwnerKey{hold};
  }
  return owner_of(event);
}

// The pool of holds.

OwnedLock::HoldRef OwnedLock::put(const OperationEvent& invoke, const OperationEvent& end, OwnerKey key,
                                  std::size_t role) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<HoldRef>(holds_.size()));
    holds_.emplace_back();
  }
  const HoldRef ref = unused_.back();
  unused_.pop_back();
  Hold& hold = holds_[ref];
  hold.acquire = SeenCall(invoke, end, role);
  hold.shared = rules_.actions[role] == LockAction::acquire_shared;
  hold.owner = key;
  hold.nested = 1;
  return ref;
}

void OwnedLock::drop(HoldRef ref) {
  Hold& hold = holds_[ref];
  if (--hold.uses > 0) return;
  go_on(hold);
  unused_.push_back(ref);
}

void OwnedLock::end(Hold& hold, const OperationEvent& release) {
  if (unused_over_.empty()) {
    unused_over_.push_back(static_cast<std::uint32_t>(over_.size()));
    over_.emplace_back();
  }
  hold.over = unused_over_.back();
  unused_over_.pop_back();
  over_[hold.over] = {release, std::nullopt};
}

void OwnedLock::go_on(Hold& hold) {
  if (hold.over != kNone) unused_over_.push_back(hold.over);
  hold.over = kNone;
}

WitnessHold OwnedLock::witness(const Hold& hold) const {
  WitnessHold events{hold.acquire.invoke(context_.lock), acquired_of(hold), {}, {}};
  if (hold.over != kNone) {
    events.release = over_[hold.over].release;
    events.release_ended = over_[hold.over].ended;
  }
  return events;
}

void OwnedLock::activate(HoldRef ref, Owner& owner) {
  Hold& hold = holds_[ref];
  ++hold.uses;
  hold.below = owner.top;
  owner.top = ref;
  hold.active = static_cast<std::uint32_t>(active_.size());
  active_.push_back(ref);
  held_ += weight(hold);
}

// Its use passes to the caller.
void OwnedLock::deactivate(HoldRef ref) {
  Hold& hold = holds_[ref];
  active_[hold.active] = active_.back();
  holds_[active_.back()].active = hold.active;
  active_.pop_back();
  held_ -= weight(hold);
}

// The most that was held.

// The holders of an instant serve as the witness, should a release fail; one is enough where any
// two conflict.  Without a release that may fail nobody will ask.
void OwnedLock::raise(std::uint32_t index, HoldRef ref) {
  if (releasing_ == 0 && doubts_.empty()) {
    while (peaks_count_ > 0) {
      for (const HoldRef old : peaks_[--peaks_count_].holds) drop(old);
    }
    return;
  }
  while (peaks_count_ > 0 && peaks_[peaks_count_ - 1].weight <= held_) {
    for (const HoldRef old : peaks_[--peaks_count_].holds) drop(old);
  }
  if (peaks_count_ == peaks_.size()) peaks_.emplace_back();
  Peak& peak = peaks_[peaks_count_++];
  peak.index = index;
  peak.weight = held_;
  peak.holds.clear();
  if (rules_.weight == rules_.permits) {
    peak.holds.push_back(ref);
  } else {
    peak.holds = active_;
  }
  for (const HoldRef held : peak.holds) ++holds_[held].uses;
}

// peaks_count_: no acquire since.
std::size_t OwnedLock::peak_since(std::uint32_t index) const {
  std::size_t at = peaks_count_;
  while (at > 0 && peaks_[at - 1].index > index) --at;
  return at;
}

// A hold lasted through the peaks from `peak` on.
void OwnedLock::lift(std::size_t first, HoldRef ref) {
  if (first == peaks_count_) return;
  const std::int64_t more = weight(holds_[ref]);
  for (std::size_t i = first; i < peaks_count_; ++i) {
    peaks_[i].weight += more;
    if (rules_.weight == rules_.permits) continue;
    peaks_[i].holds.push_back(ref);
    ++holds_[ref].uses;
  }
  std::size_t lower = first;  // those before it that are no longer higher
  while (lower > 0 && peaks_[lower - 1].weight <= peaks_[first].weight) --lower;
  if (lower == first) return;
  for (std::size_t i = lower; i < first; ++i) {
    for (const HoldRef old : peaks_[i].holds) drop(old);
  }
  std::rotate(peaks_.begin() + static_cast<std::ptrdiff_t>(lower), peaks_.begin() + static_cast<std::ptrdiff_t>(first),
              peaks_.begin() + static_cast<std::ptrdiff_t>(peaks_count_));
  peaks_count_ -= first - lower;
}

// Events.

void OwnedLock::invoked(const OperationEvent& invoke, std::size_t role) {
  const LockAction action = rules_.actions[role];
  if (violated()) return follow(result_, invoke, gives_back(action));
  const OwnerKey key = key_of(invoke, action);
  Owner* owner = &owners_[key];
  if (owner->open != 0 || owner->crashed) {
    if (search_ == nullptr) begin_search();
    if (owner->credit) search_->crashed(key, owner->action);
    *owner = {};
  }
  if (search_ != nullptr) return search_->invoked(key, action, invoke);
  open_.push_back({invoke, key, action, Asked::nothing, kNone});
  owner->open = static_cast<std::uint32_t>(open_.size());
  if (gives_back(action)) release_invoked(*owner, open_.back());
}

void OwnedLock::release_invoked(Owner& owner, Open& open) {
  open.asked = Asked::unowned;
  if (owner.top == kNone || !ends(open.action, holds_[owner.top].shared)) return;
  Hold& hold = holds_[owner.top];
  open.released = owner.top;
  ++releasing_;
  if (hold.nested > 1) {
    open.asked = Asked::inner;
    --hold.nested;
    return;
  }
  open.asked = Asked::outermost;
  end(hold, open.invoke);
  owner.top = hold.below;
  deactivate(open.released);
}

void OwnedLock::returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) {
  const LockAction action = rules_.actions[role];
  if (violated()) return follow(result_, end, gives_back(action));
  if (search_ != nullptr) {
    if (end.type == OperationType::info) searched_.insert(invoke.process);
    return search_->returned(invoke, end);
  }
  OwnerKey key = key_of(invoke, action);
  Owner* owner = &owners_[key];
  if (owner->open == 0) return;
  const Open open = open_[owner->open - 1];
  if (owner->open != open_.size()) {
    open_[owner->open - 1] = open_.back();
    owners_[open_.back().owner].open = owner->open;
    owner = &owners_[key];
  }
  open_.pop_back();
  owner->open = 0;
  if (open.released != kNone) --releasing_;
  if (end.type == OperationType::info) {
    crash(open, *owner);
  } else if (gives_back(action)) {
    if (end.type == OperationType::fail) {
      if (open.released != kNone) release_failed(open, end, *owner);
    } else if (open.asked == Asked::unowned) {
      const auto holder = newest_holder();
      result_ = unowned_witness(context_, "release", invoke, end, holder ? &*holder : nullptr);
    } else if (open.asked == Asked::outermost) {
      Hold& hold = holds_[open.released];
      over_[hold.over].ended = end;  // some are remembered: for their tokens
      forget_alias(hold);
      drop(open.released);
    }
  } else if (end.type == OperationType::ok && action == LockAction::keep) {
    if (owner->top == kNone) {
      const auto holder = newest_holder();
      result_ = unowned_witness(context_, "refresh", invoke, end, holder ? &*holder : nullptr);
    }
  } else if (end.type == OperationType::ok) {
    if (end.hold != kNoHold && invoke.hold == kNoHold) {  // the answer names the hold
      close(key, *owner);
      key = owner_of(end);
      owner = &owners_[key];
    }
    if (key < 0) {
      aliases_[invoke.process] = end.hold != kNoHold ? end.hold : invoke.hold;
      aliased_ = true;
    }
    acquired(invoke, end, key, role);
  }
  close(key, owners_[key]);
}

void OwnedLock::forget_alias(const Hold& over) {
  if (!aliased_ || over.owner >= 0) return;
  const std::int32_t process = over.acquire.process();
  const HoldId* const last = aliases_.find(process);
  if (last != nullptr && -1 - OwnerKey{*last} == over.owner) aliases_.erase(process);
}

// Owners of which there is nothing to know are forgotten.
void OwnedLock::close(OwnerKey key, Owner& owner) {
  if (owner.top == kNone && owner.open == 0 && !owner.crashed && !owner.credit) owners_.erase(key);
}

void OwnedLock::crash(const Open& open, Owner& owner) {
  if (open.owner < 0) owner.crashed = true;
  owner.action = open.action;
  if (open.released != kNone) {
    doubts_.push_back(open);
    if (open.asked == Asked::inner) ++holds_[open.released].uses;
    prune_doubts();
  } else {
    owner.credit = open.owner < 0 || gives_back(open.action);
  }
}

void OwnedLock::outlived(const OperationEvent& crashed, std::size_t role) {
  if (violated()) return;
  const LockAction action = rules_.actions[role];
  const OwnerKey key = key_of(crashed, action);
  if (key < 0) return;  // noticed when the hold is named again
  if (search_ == nullptr) {
    begin_search();
  } else if (searched_.erase(key) > 0) {
    return;  // it crashed while the search looked on
  }
  Owner& owner = owners_[key];
  if (takes(action) || owner.credit) search_->crashed(key, action);
  owner = {};
}

void OwnedLock::acquired(const OperationEvent& invoke, const OperationEvent& end, OwnerKey key, std::size_t role) {
  Owner& owner = owners_[key];
  if (rules_.nested > 0 && owner.top != kNone) return nested(owner.top, invoke, end);
  const HoldRef ref = put(invoke, end, key, role);
  if (held_ + weight(holds_[ref]) > rules_.permits) {
    holds_[ref].uses = 1;
    return overlap(kNone, active_, ref);
  }
  activate(ref, owner);
  raise(end.index, ref);
  if (rules_.fenced && end.token != kNoToken) fence(ref);
}

void OwnedLock::fence(HoldRef ref) {
  const Hold& hold = holds_[ref];
  tokens_ = true;
  if (hold.acquire.token() <= 0) {
    result_ = invalid_token_witness(context_, witness(hold));
  } else if (newest_ != kNone && holds_[newest_].acquire.token() >= hold.acquire.token()) {
    result_ = token_witness(context_, witness(holds_[newest_]), witness(hold));
  } else {
    if (newest_ != kNone) drop(newest_);
    newest_ = ref;
    ++holds_[ref].uses;
  }
}

void OwnedLock::nested(HoldRef ref, const OperationEvent& invoke, const OperationEvent& end) {
  Hold& hold = holds_[ref];
  if (hold.nested == rules_.nested) {
    const OperationEvent outermost = acquired_of(hold);
    result_ = violation({witness(hold)}, {outermost, invoke, end},
                        fmt::format("{} acquired {} at {} once more than the {} times that it may, "
                                    "since {}, without a release.",
                                    context_.subject(end), lock_name(context_.tables, context_.lock),
                                    context_.when(end), rules_.nested, context_.when(outermost)));
    return;
  }
  ++hold.nested;
  if (!rules_.fenced || end.token == kNoToken) return;
  if (hold.acquire.token() == kNoToken) {
    hold.acquire.set_token(end.token);
    fence(ref);
  } else if (hold.acquire.token() != end.token) {
    const OperationEvent outermost = acquired_of(hold);
    result_ = violation({witness(hold)}, {outermost, invoke, end},
                        fmt::format("{} acquired {} again at {} and got token {}; within a hold, "
                                    "which began at {}, the token stays the same.",
                                    subject_with_token(context_, outermost), lock_name(context_.tables, context_.lock),
                                    context_.when(end), end.token, context_.when(outermost)));
  }
}

void OwnedLock::release_failed(const Open& open, const OperationEvent& end, Owner& owner) {
  Hold& hold = holds_[open.released];
  if (open.asked == Asked::inner) {
    ++hold.nested;
    return;
  }
  const std::size_t first = peak_since(open.invoke.index);
  if (first < peaks_count_ && peaks_[first].weight + weight(hold) > rules_.permits) {
    over_[hold.over].ended = end;
    return overlap(open.released, peaks_[first].holds, kNone);
  }
  go_on(hold);
  lift(first, open.released);
  activate(open.released, owner);
  --hold.uses;  // that of the release
}

// So that words do not depend on what became of other holds.
std::vector<OwnedLock::HoldRef> OwnedLock::in_order(std::span<const HoldRef> holds) const {
  std::vector<HoldRef> ordered(holds.begin(), holds.end());
  std::sort(ordered.begin(), ordered.end(),
            [&](HoldRef a, HoldRef b) { return holds_[a].acquire.ended_at() < holds_[b].acquire.ended_at(); });
  return ordered;
}

std::optional<WitnessHold> OwnedLock::newest_holder() const {
  if (active_.empty()) return std::nullopt;
  return witness(holds_[in_order(active_).back()]);
}

// `first` held on, or `last` came; of the others as many as it takes.
void OwnedLock::overlap(HoldRef first, std::span<const HoldRef> others, HoldRef last) {
  std::vector<WitnessHold> holds;
  if (first != kNone) holds.push_back(witness(holds_[first]));
  std::int64_t together = weight(holds_[first != kNone ? first : last]);
  for (const HoldRef other : in_order(others)) {
    if (together > rules_.permits) break;
    if (other == first || other == last) continue;
    together += weight(holds_[other]);
    holds.push_back(witness(holds_[other]));
  }
  if (last != kNone) holds.push_back(witness(holds_[last]));
  result_ = overlap_witness(context_, std::move(holds), rules_.permits);
}

// From one state to configurations.

// Could the hold have lasted until now, had the release not taken effect?
bool OwnedLock::could_last(const Open& release) const {
  if (release.asked == Asked::inner) return true;
  std::int64_t most = 0;
  for (std::size_t i = peak_since(release.invoke.index); i < peaks_count_; ++i) {
    most = std::max(most, peaks_[i].weight);
  }
  return most + weight(holds_[release.released]) <= rules_.permits;
}

// Releases of unknown outcome that must have taken effect: somebody else has the permit.
void OwnedLock::prune_doubts() {
  if (rules_.permits > 1 && doubts_.size() < 2 * doubts_kept_) return;
  std::erase_if(doubts_, [&](const Open& release) {
    if (could_last(release)) return false;
    drop(release.released);
    return true;
  });
  doubts_kept_ = std::max<std::size_t>(16, doubts_.size());
}

void OwnedLock::begin_search() {
  search_ = std::make_unique<OwnerSearch>(context_, rules_);
  std::vector<Doubt> doubts;
  for (const Open& open : open_) {
    search_->open(open.owner, open.action, open.invoke);
    if (open.released != kNone) doubts.push_back({open, false});
  }
  for (const Open& open : doubts_) {
    search_->crashed(open.owner, open.action);
    doubts.push_back({open, true});
  }
  for (const HoldRef ref : in_order(active_)) search_->held_by(holds_[ref].owner, witness(holds_[ref]));
  for (const Doubt& doubt : doubts) {
    const Hold& hold = holds_[doubt.release.released];
    search_->held_by(hold.owner, witness(hold));
  }
  if (newest_ != kNone) search_->held_by(holds_[newest_].owner, witness(holds_[newest_]));
  std::vector<bool> undone;
  start_from(doubts, undone);
}

bool OwnedLock::undo(const Open& release) {
  if (!could_last(release)) return false;
  if (release.asked == Asked::inner) return true;
  for (std::size_t i = peak_since(release.invoke.index); i < peaks_count_; ++i) {
    peaks_[i].weight += weight(holds_[release.released]);
  }
  return true;
}

// Tries which of the releases may not have taken effect yet, together.  To have them still to come
// is better, so if all that are left can wait, they do.
void OwnedLock::start_from(std::span<const Doubt> doubts, std::vector<bool>& undone) {
  if (search_->done()) return;
  const std::vector<Peak> peaks(peaks_.begin(), peaks_.begin() + static_cast<std::ptrdiff_t>(peaks_count_));
  const auto restore = [&] { std::copy(peaks.begin(), peaks.end(), peaks_.begin()); };
  const auto rest = doubts.subspan(undone.size());
  const bool all = std::all_of(rest.begin(), rest.end(), [&](const Doubt& doubt) { return undo(doubt.release); });
  restore();
  if (all) {
    std::vector<bool> whole = undone;
    whole.resize(doubts.size(), true);
    return start(doubts, whole);
  }
  undone.push_back(true);
  if (undo(rest.front().release)) start_from(doubts, undone);
  restore();
  undone.back() = false;
  start_from(doubts, undone);
  undone.pop_back();
}

void OwnedLock::start(std::span<const Doubt> doubts, const std::vector<bool>& undone) {
  OwnerSearch::Start from;
  if (newest_ != kNone) from.newest_token = holds_[newest_].acquire.token();
  const auto holding = [&](const Hold& hold, std::int64_t count) {
    for (OwnerSearch::Holding& h : from.holdings) {
      if (h.owner != hold.owner || h.shared != hold.shared) continue;
      h.count += count;
      return;
    }
    from.holdings.push_back({hold.owner, hold.shared, count, hold.acquire.token()});
  };
  for (const HoldRef ref : in_order(active_)) holding(holds_[ref], holds_[ref].nested);
  for (std::size_t i = 0; i < doubts.size(); ++i) {
    const Open& release = doubts[i].release;
    if (undone[i]) {
      holding(holds_[release.released], 1);
    } else if (doubts[i].crashed) {
      from.spent.emplace_back(release.owner, release.action);
    } else {
      from.placed.push_back(release.invoke.process);
    }
  }
  search_->begin(from);
}

std::size_t OwnedLock::releasing_role(bool shared) const {
  const auto fits = [&](LockAction action) { return ends(action, shared); };
  return static_cast<std::size_t>(std::find_if(rules_.actions.begin(), rules_.actions.end(), fits) -
                                  rules_.actions.begin());
}

// The state of an idle lock are the holds that last, and the one with the newest token: peaks matter to releases that
// are open or in doubt.
bool OwnedLock::rest(std::vector<SeenCall>& calls) const {
  if (violated() || searching() || !open_.empty() || !doubts_.empty()) return false;
  std::vector<std::pair<std::uint32_t, SeenCall>> ordered;  // by the instant at which the sweep counts them
  std::size_t owners = 0, aliases = 0;
  bool newest_lasts = false;
  for (const HoldRef ref : active_) {
    const Hold& hold = holds_[ref];
    const Owner* const owner = owners_.find(hold.owner);
    if (hold.nested > SeenCall::kMostTimes || owner == nullptr || owner->crashed || owner->credit) return false;
    owners += hold.below == kNone;
    if (hold.owner < 0) {
      const HoldId* const last = aliases_.find(hold.acquire.process());
      if (last == nullptr || -1 - OwnerKey{*last} != hold.owner) return false;
      ++aliases;
    }
    newest_lasts = newest_lasts || ref == newest_;
    ordered.emplace_back(hold.acquire.ended_at(), hold.acquire);
    ordered.back().second.repeat(static_cast<std::uint8_t>(hold.nested));
  }
  if (owners_.size() != owners || aliases_.size() != aliases) return false;
  if (newest_ != kNone && !newest_lasts) {
    const Hold& hold = holds_[newest_];
    if (hold.over == kNone || !over_[hold.over].ended) return false;
    const Over& over = over_[hold.over];
    ordered.emplace_back(hold.acquire.ended_at(), hold.acquire);
    ordered.emplace_back(over.release.index, SeenCall(over.release, *over.ended, releasing_role(hold.shared)));
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [index, call] : ordered) calls.push_back(call);
  return true;
}

ModelResult OwnedLock::finish(std::uint32_t) {
  if (search_ != nullptr && !violated()) result_ = search_->result();
  if (result_.verdict == Verdict::holds && rules_.fenced && !tokens_ && search_ == nullptr) {
    result_.verdict = Verdict::undecided;
    result_.explanation = fmt::format("No acquire of {} carries a token.", lock_name(context_.tables, context_.lock));
  }
  return std::move(result_);
}

std::size_t OwnedLock::memory() const {
  std::size_t bytes = sizeof *this + owners_.memory() + aliases_.memory() + holds_.size() * sizeof(Hold) +
                      over_.capacity() * sizeof(Over) + open_.capacity() * sizeof(Open) +
                      doubts_.capacity() * sizeof(Open);
  for (const Peak& peak : peaks_) bytes += sizeof peak + peak.holds.capacity() * sizeof(HoldRef);
  if (search_ != nullptr) bytes += search_->memory();
  return bytes;
}

}  // namespace picklock
