// A lock at rest: the holds that last, the one with the newest token, and what is open or crashed.
#include <algorithm>

#include "checker/models/owned_lock.hpp"

namespace picklock {

// Does the process still mean this hold?  That is what a replay of its acquire brings about.
bool OwnedLock::alias_lasts(std::int32_t process, OwnerKey owner) const {
  if (owner >= 0) return true;
  const HoldId* const last = aliases_.find(process);
  return last != nullptr && -1 - OwnerKey{*last} == owner;
}

bool OwnedLock::add_hold(const Hold& hold, std::vector<Timed>& calls) const {
  if (hold.nested > SeenCall::kMostTimes || !alias_lasts(hold.acquire.process(), hold.owner)) return false;
  calls.emplace_back(hold.acquire.ended_at(), hold.acquire);
  calls.back().second.repeat(static_cast<std::uint8_t>(hold.nested));
  return true;
}

// A release that may not have taken effect finds its hold again, and what was held since: nothing new.
bool OwnedLock::add_release(const Open& release, const SeenCall& call, std::vector<Timed>& calls) const {
  if (release.asked != Asked::outermost || peaks_.since(release.invoked_at) != peaks_.size()) return false;
  if (!add_hold(holds_[release.released], calls)) return false;
  calls.emplace_back(release.invoked_at, call);
  return true;
}

bool OwnedLock::add_open(const Open& open, std::vector<Timed>& calls) const {
  const SeenCall waiting = SeenCall::waiting(open.process, open.invoked_at, open.role);
  if (open.released != kNone) return add_release(open, waiting, calls);
  if (open.asked == Asked::unowned && owners_.find(open.owner)->top != kNone) return false;
  if (!takes(action_of(open)) && !alias_lasts(open.process, open.owner)) return false;
  calls.emplace_back(open.invoked_at, waiting);
  return true;
}

bool OwnedLock::add_doubt(const Open& doubt, std::vector<Timed>& calls) const {
  const SeenCall* const release = holds_.release_of(holds_[doubt.released]);
  if (release == nullptr) return false;
  OperationEvent end = release->invoke(context_.lock);
  end.type = OperationType::info;
  return add_release(doubt, SeenCall(release->invoke(context_.lock), end, doubt.role), calls);
}

// The hold with the newest token, unless it is among those that last or may last.
bool OwnedLock::add_newest(std::vector<Timed>& calls) const {
  if (newest_ == kNone) return true;
  const Hold& hold = holds_[newest_];
  const SeenCall* const release = holds_.release_of(hold);
  if (release == nullptr || release->open()) {
    return std::any_of(calls.begin(), calls.end(), [&](const Timed& call) {
      return call.first == hold.acquire.ended_at() && call.second.invoked_at() == hold.acquire.invoked_at();
    });
  }
  calls.emplace_back(hold.acquire.ended_at(), hold.acquire);
  calls.emplace_back(release->invoked_at(), *release);
  return true;
}

// Last of all, so that the operations before them are those of an owner that lives.
bool OwnedLock::add_crashed(std::vector<Timed>& calls) const {
  bool known = true;
  std::size_t others = 0;  // whose crashed release is in doubt, or was
  owners_.for_each([&](OwnerKey key, const Owner& owner) {
    if (!owner.credit) {
      others += owner.crashed;
      return;
    }
    known = known && key < 0 && (takes(rules_.actions[owner.role]) || owner.top == kNone);
    const auto hold = static_cast<HoldId>(-1 - key);
    calls.emplace_back(0xffffffff, SeenCall::crashed(hold, owner.crashed_at, owner.role));
  });
  const auto in_doubt =
      std::count_if(doubts_.begin(), doubts_.end(), [](const Open& doubt) { return doubt.owner < 0; });
  return known && others == static_cast<std::size_t>(in_doubt);
}

void OwnedLock::add_in_order(std::vector<Timed>& ordered, std::vector<SeenCall>& calls) {
  std::stable_sort(ordered.begin(), ordered.end(), [](const Timed& a, const Timed& b) { return a.first < b.first; });
  for (const auto& [at, call] : ordered) calls.push_back(call);
}

// A search that has nothing left to search is a sweep again when the lock wakes: of the holds that last, and of calls that
// crashed and whose processes have not gone on. Not of holds that have names: a release may leave the name out, and what it
// means then is not known here.
bool OwnedLock::rest_after_search(std::vector<SeenCall>& calls) const {
  bool known = !aliased_;
  owners_.for_each([&](OwnerKey key, const Owner& owner) { known = known && key >= 0 && !owner.credit; });
  OwnerSearch::Pending pending;
  for (const auto& [process, call] : searched_) ++pending[{process, rules_.actions[call.role()]}];
  const auto acquires = known ? search_->settled(pending) : std::nullopt;
  if (!acquires) return false;
  std::vector<Timed> ordered;
  for (const SeenCall& acquire : *acquires) ordered.emplace_back(acquire.ended_at(), acquire);
  for (const auto& [process, call] : searched_) {
    const LockAction action = rules_.actions[call.role()];
    const auto held = std::find_if(acquires->begin(), acquires->end(),
                                   [&, p = process](const SeenCall& acquire) { return acquire.process() == p; });
    if (gives_back(action)) {
      const bool ends_it = held != acquires->end() && held->ended_at() < call.invoked_at() &&
                           ends(action, rules_.actions[held->role()] == LockAction::acquire_shared);
      if (!ends_it) return false;
    }
    ordered.emplace_back(call.invoked_at(), call);
  }
  add_in_order(ordered, calls);
  return true;
}

bool OwnedLock::rest(std::vector<SeenCall>& calls) {
  if (violated()) return false;
  if (searching()) return rest_after_search(calls);
  if (rules_.permits == 1) prune_doubts();
  if (open_.size() + doubts_.size() > kMostPendingAtRest) return false;
  std::vector<Timed> ordered;
  bool kept = true;
  for (const HoldRef ref : active_) kept = kept && add_hold(holds_[ref], ordered);
  for (std::size_t i = 0; i < open_.size(); ++i) kept = kept && add_open(open_[i], ordered);
  for (const Open& doubt : doubts_) kept = kept && add_doubt(doubt, ordered);
  std::size_t named = 0;  // holds, each with a process that means it
  for (const auto& [at, call] : ordered) {
    named += takes(rules_.actions[call.role()]) && !call.open() && call.names_hold();
  }
  if (!kept || aliases_.size() != named) return false;
  if (!add_newest(ordered) || !add_crashed(ordered)) return false;
  add_in_order(ordered, calls);
  return true;
}

}  // namespace picklock
