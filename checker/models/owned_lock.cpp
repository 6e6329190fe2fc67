#include "checker/models/owned_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"
#include "checker/search/spec.hpp"

namespace picklock {

bool unknown_first(const ModelContext& context) {
  if (context.initial.empty() || context.initial == kUnknownFirst) return !context.initial.empty();
  throw std::invalid_argument(
      fmt::format("--initial: found {}, expected unknown: a mutex begins free, or it is not known", context.initial));
}

LockRules mutex_rules(const ModelContext& context) {
  LockRules rules;
  rules.actions = kAcquireAndRelease;
  rules.unknown_first = unknown_first(context);
  return rules;
}

// The owner of a release that names no hold is the hold that its process acquired last, while that lasts.
OwnerKey OwnedLock::key_of(const OperationEvent& event, LockAction action) {
  if (event.hold == kNoHold && named_ && !takes(action)) {
    if (const HoldId* const hold = aliases_.find(event.process)) return -1 - OwnerKey{*hold};
  }
  return owner_of(event);
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

// Events.

void OwnedLock::invoked(const OperationEvent& invoke, std::size_t role) {
  const LockAction action = rules_.actions[role];
  if (violated()) return see_overlaps(invoke, invoke, action);
  named_ = named_ || invoke.hold != kNoHold;
  const OwnerKey key = key_of(invoke, action);
  search_if_busy(key);
  if (search_ != nullptr) return search_->invoked(key, action, invoke);
  Owner* const owner = &owners_[key];
  Open& open = open_.push_back({key, invoke.process, invoke.index, kNone, static_cast<std::uint8_t>(role)});
  owner->open = static_cast<std::uint32_t>(open_.size());
  if (gives_back(action)) release_invoked(*owner, open, invoke);
  open.early = open.asked == Asked::unowned && may_be_first(key);
}

// May a release that was early end a hold from before the history?  Others may have done so meanwhile.
bool OwnedLock::may_end_first(OwnerKey owner) const {
  return (!first_ || *first_ == owner) && first_depth_ < std::max<std::int64_t>(1, rules_.nested);
}

// Could it have held since before the history?  Only an owner that nests may have acquired the lock as well.
bool OwnedLock::may_be_first(OwnerKey owner) const {
  if (!rules_.unknown_first || several_ || (first_ && *first_ != owner)) return false;
  return !only_ || (rules_.nested > 0 && *only_ == owner);
}

// An owner that does something while another operation of its is open or crashed needs a search.
void OwnedLock::search_if_busy(OwnerKey key) {
  const Owner* const found = owners_.find(key);
  if (found == nullptr || (found->open == 0 && !found->crashed)) return;
  const Owner owner = *found;
  if (search_ == nullptr) begin_search();
  if (owner.credit) search_->crashed(key, rules_.actions[owner.role]);
  owners_.erase(key);
}

void OwnedLock::release_invoked(Owner& owner, Open& open, const OperationEvent& invoke) {
  open.asked = Asked::unowned;
  if (owner.top == kNone || !ends(action_of(open), holds_[owner.top].shared)) return;
  Hold& hold = holds_[owner.top];
  open.released = owner.top;
  ++releasing_;
  if (hold.nested > 1) {
    open.asked = Asked::inner;
    --hold.nested;
    return;
  }
  open.asked = Asked::outermost;
  holds_.release(open.released, SeenCall(invoke, open.role));
  owner.top = hold.below;
  deactivate(open.released);
}

void OwnedLock::returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) {
  const LockAction action = rules_.actions[role];
  if (violated()) return see_overlaps(invoke, end, action);
  const bool ok = end.type == OperationType::ok;
  named_ = named_ || end.hold != kNoHold;
  if (ok && takes(action) && named_by_answer(invoke, end)) search_if_busy(owner_of(end));
  if (search_ != nullptr) {
    if (end.type == OperationType::info && key_of(invoke, action) >= 0)
      searched_[invoke.process] = SeenCall(invoke, end, role);
    if (ok) follow_alias(invoke, end, action);
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
    } else if (open.early && may_end_first(open.owner)) {
      first_ = open.owner;
      ++first_depth_;
    } else if (open.asked == Asked::unowned) {
      const auto holder = newest_holder();
      result_ = unowned_witness(context_, "release", invoke, end, holder ? &*holder : nullptr);
    } else if (open.asked == Asked::outermost) {
      holds_.ended(open.released, end, context_.lock);  // some are remembered: for their tokens
      forget_alias(holds_[open.released]);
      holds_.drop(open.released);
    }
  } else if (ok && action == LockAction::keep) {
    if (owner->top == kNone) {
      const auto holder = newest_holder();
      result_ = unowned_witness(context_, "refresh", invoke, end, holder ? &*holder : nullptr);
    }
  } else if (ok) {
    if (named_by_answer(invoke, end)) {
      close(key, *owner);
      key = owner_of(end);
      owner = &owners_[key];
    }
    if (key < 0) {
      aliases_[invoke.process] = end.hold != kNoHold ? end.hold : invoke.hold;
    }
    acquired(invoke, end, key, role);
  }
  close(key, owners_[key]);
}

// Finds the hold that a release without a name ends, while a search looks on.
void OwnedLock::follow_alias(const OperationEvent& invoke, const OperationEvent& end, LockAction action) {
  if (takes(action)) {
    const HoldId hold = end.hold != kNoHold ? end.hold : invoke.hold;
    if (hold == kNoHold) return;
    aliases_[invoke.process] = hold;
  } else if (gives_back(action) && named_) {
    const HoldId* const last = aliases_.find(invoke.process);
    if (last != nullptr && key_of(invoke, action) == -1 - OwnerKey{*last}) aliases_.erase(invoke.process);
  }
}

void OwnedLock::forget_alias(const Hold& over) {
  if (!named_ || over.owner >= 0) return;
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
  owner.role = open.role;
  owner.crashed_at = open.invoked_at;
  if (open.released != kNone) {
    doubts_.push_back(open);
    if (open.asked == Asked::inner) ++holds_[open.released].uses;
    prune_doubts();
  } else {
    owner.credit = open.owner < 0 || gives_back(action_of(open));
  }
}

void OwnedLock::outlived(const OperationEvent& crashed, std::size_t role) {
  if (violated()) return;
  const LockAction action = rules_.actions[role];
  const OwnerKey key = key_of(crashed, action);
  if (key < 0) return;  // noticed when the hold is named again
  const Owner* const found = owners_.find(key);
  const bool credit = found != nullptr && found->credit;
  if (search_ == nullptr) {
    begin_search();
  } else if (searched_.find(key) != nullptr) {  // it crashed while the search looked on
    return searched_.erase(key);
  }
  if (takes(action) || credit) search_->crashed(key, action);
  owners_.erase(key);
}

void OwnedLock::acquired(const OperationEvent& invoke, const OperationEvent& end, OwnerKey key, std::size_t role) {
  if (rules_.unknown_first) {
    several_ = several_ || (only_ && *only_ != key);
    only_ = key;
  }
  Owner& owner = owners_[key];
  if (rules_.nested > 0 && owner.top != kNone) return nested(owner.top, invoke, end);
  const bool shared = rules_.actions[role] == LockAction::acquire_shared;
  const HoldRef ref = holds_.put(SeenCall(invoke, end, role), key, shared);
  if (held_ + weight(holds_[ref]) > rules_.permits) {
    holds_[ref].uses = 1;
    return overlap(kNone, active_, ref);
  }
  activate(ref, owner);
  if (releasing_ == 0 && doubts_.empty()) {
    peaks_.forget();
  } else {
    peaks_.raise(end.index, ref, held_, active_);
  }
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
    if (newest_ != kNone) holds_.drop(newest_);
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
  const std::size_t first = peaks_.since(open.invoked_at);
  if (first < peaks_.size() && peaks_.weight(first) + weight(hold) > rules_.permits) {
    holds_.ended(open.released, end, context_.lock);
    return overlap(open.released, peaks_.holds(first), kNone);
  }
  holds_.go_on(open.released);
  peaks_.lift(first, open.released);
  activate(open.released, owner);
  --hold.uses;  // removes the use by the release
}

// Words must not depend on the fate of other holds.
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
  overlaps_ = std::make_unique<Overlaps>(context_, rules_);
  std::vector<HoldRef> lasting = active_;
  if (first != kNone) lasting.push_back(first);
  for (const HoldRef ref : in_order(lasting)) {
    const Hold& hold = holds_[ref];
    overlaps_->holds(hold.owner, acquired_of(hold), hold.shared, hold.nested);
  }
  if (last != kNone) {
    overlaps_->acquired(holds_[last].owner, acquired_of(holds_[last]), holds_[last].shared);
  } else {
    overlaps_->see_newest();
  }
  result_ = overlap_witness(context_, std::move(holds), rules_.permits);
}

// After the violation: notes the ends of the witness's holds, and which others overlap.
void OwnedLock::see_overlaps(const OperationEvent& invoke, const OperationEvent& event, LockAction action) {
  follow(result_, event, gives_back(action));
  if (overlaps_ == nullptr) return;
  const bool asks = event.type == OperationType::invoke;
  const OwnerKey key = named_by_answer(invoke, event) ? owner_of(event) : key_of(invoke, action);
  if (gives_back(action)) {
    asks ? overlaps_->release_invoked(key, event, action) : overlaps_->release_returned(event);
  } else if (takes(action) && event.type == OperationType::ok) {
    if (key < 0) aliases_[invoke.process] = event.hold != kNoHold ? event.hold : invoke.hold;
    overlaps_->acquired(key, event, action == LockAction::acquire_shared);
  }
}

// Releases of unknown outcome.

// Could the hold have lasted until now, had the release not taken effect?
bool OwnedLock::could_last(const Open& release) const {
  if (release.asked == Asked::inner) return true;
  return peaks_.most_since(release.invoked_at) + weight(holds_[release.released]) <= rules_.permits;
}

// Releases of unknown outcome that must have taken effect: another owner has the permit.
void OwnedLock::prune_doubts() {
  if (rules_.permits > 1 && doubts_.size() < 2 * doubts_kept_) return;
  std::erase_if(doubts_, [&](const Open& release) {
    if (could_last(release)) return false;
    holds_.drop(release.released);
    return true;
  });
  doubts_kept_ = std::max<std::size_t>(16, doubts_.size());
}

ModelResult OwnedLock::finish(std::uint32_t) {
  if (search_ != nullptr && !violated()) result_ = search_->result();
  if (unsettled_) {
    result_ = {};
    result_.verdict = Verdict::undecided;
    result_.explanation = fmt::format(
        "Owners of {} live on after operations of unknown outcome, or do several things at once, while somebody may "
        "have "
        "held it from before the history (--initial unknown): that is not judged.",
        lock_name(context_.tables, context_.lock));
  }
  if (result_.verdict == Verdict::holds && rules_.fenced && !tokens_ && search_ == nullptr) {
    result_.verdict = Verdict::undecided;
    result_.explanation = fmt::format("No acquire of {} carries a token.", lock_name(context_.tables, context_.lock));
  }
  if (overlaps_ != nullptr && violated()) result_.overlaps = overlaps_->found();
  return std::move(result_);
}

std::size_t OwnedLock::memory() const {
  std::size_t bytes = sizeof *this + owners_.memory() + aliases_.memory() + holds_.memory() + open_.memory() +
                      doubts_.capacity() * sizeof(Open) + active_.capacity() * sizeof(HoldRef) + peaks_.memory();
  if (search_ != nullptr) bytes += search_->memory() + searched_.memory();
  return bytes;
}

}  // namespace picklock
