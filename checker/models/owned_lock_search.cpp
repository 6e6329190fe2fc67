// Turns the sweep's one state into a search's configurations, and back; and keeps what is needed while the lock rests.
#include <algorithm>

#include "checker/models/owned_lock.hpp"
#include "checker/models/owned_lock_state.hpp"

namespace picklock {

void OwnedLock::begin_search() {
  if (rules_.permits == 1) prune_doubts();  // a lock at rest prunes its doubts too
  search_ = std::make_unique<OwnerSearch>(context_, rules_);
  if (rules_.unknown_first) unsettled_ = unsettled_ || !(several_ || (only_ && rules_.nested == 0));
  std::vector<Doubt> doubts;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Open& open = open_[i];
    search_->open(open.owner, action_of(open), open.process);
    unsettled_ = unsettled_ || open.early;
    if (open.released != kNone) doubts.push_back({open, false});
  }
  for (const Open& open : doubts_) {
    search_->crashed(open.owner, action_of(open));
    doubts.push_back({open, true});
  }
  std::sort(doubts.begin(), doubts.end(),
            [](const Doubt& a, const Doubt& b) { return a.release.invoked_at < b.release.invoked_at; });
  for (const HoldRef ref : in_order(active_)) search_->held_by(holds_[ref].owner, witness(holds_[ref]));
  for (const Doubt& doubt : doubts) {
    const Hold& hold = holds_[doubt.release.released];
    search_->held_by(hold.owner, witness(hold));
  }
  if (newest_ != kNone) search_->held_by(holds_[newest_].owner, witness(holds_[newest_]));
  std::vector<bool> undone;
  start_from(doubts, undone);
  leave_to_search();
}

// After this, only the sweep's facts about crashed calls are asked for.
void OwnedLock::leave_to_search() {
  SparseMap<OwnerKey, Owner> crashed;
  owners_.for_each([&](OwnerKey key, const Owner& owner) {
    if (!owner.crashed && !owner.credit) return;
    Owner& left = crashed[key];
    left = owner;
    left.top = kNone;
    left.open = 0;
  });
  owners_ = std::move(crashed);
  peaks_.forget();
  active_ = {};
  open_ = {};
  doubts_ = {};
  holds_ = {};
  held_ = 0;
  newest_ = kNone;
  releasing_ = 0;
}

bool OwnedLock::undo(const Open& release) {
  if (!could_last(release)) return false;
  if (release.asked == Asked::inner) return true;
  peaks_.add(peaks_.since(release.invoked_at), weight(holds_[release.released]));
  return true;
}

// Tries which of the releases may not have taken effect yet, together.  To have them still to come
// is better, so if all that are left can wait, they do.
void OwnedLock::start_from(std::span<const Doubt> doubts, std::vector<bool>& undone) {
  if (search_->done()) return;
  const std::vector<std::int64_t> weights = peaks_.weights();
  const auto restore = [&] { peaks_.set_weights(weights); };
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
      from.spent.emplace_back(release.owner, action_of(release));
    } else {
      from.placed.push_back(release.process);
    }
  }
  search_->begin(from);
}

// Calls left by a search that is over: the acquires of the holds that last, and the calls that crashed and
// whose processes have not gone on. Not of holds that have names: a release may leave the name out, and what it means
// then is not known here.
std::optional<std::vector<SeenCall>> OwnedLock::calls_after_search() const {
  bool known = !named_;
  owners_.for_each([&](OwnerKey key, const Owner& owner) { known = known && key >= 0 && !owner.credit; });
  if (!known) return std::nullopt;
  OwnerSearch::Pending pending;
  searched_.for_each([&](OwnerKey process, const SeenCall& call) {
    ++pending[{process, rules_.actions[call.role()]}];
  });
  const auto acquires = search_->settled(pending);
  if (!acquires) return std::nullopt;
  using Timed = std::pair<std::uint32_t, SeenCall>;  // a call with the instant at which the sweep counts it
  std::vector<Timed> ordered;
  for (const SeenCall& acquire : *acquires) ordered.emplace_back(acquire.ended_at(), acquire);
  searched_.for_each([&](OwnerKey process, const SeenCall& call) {
    ordered.emplace_back(call.invoked_at(), call);
    const LockAction action = rules_.actions[call.role()];
    if (!gives_back(action)) return;
    const auto held = std::find_if(acquires->begin(), acquires->end(),
                                   [&](const SeenCall& acquire) { return acquire.process() == process; });
    known = known && held != acquires->end() && held->ended_at() < call.invoked_at() &&
            ends(action, rules_.actions[held->role()] == LockAction::acquire_shared);
  });
  if (!known) return std::nullopt;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Timed& a, const Timed& b) { return a.first < b.first; });
  std::vector<SeenCall> calls;
  for (const auto& [at, call] : ordered) calls.push_back(call);
  return calls;
}

// A search that has nothing left to search is a sweep again.
void OwnedLock::settle() {
  const auto calls = calls_after_search();
  if (!calls) return;
  search_.reset();
  owners_ = {};
  searched_ = {};
  for (const SeenCall& call : *calls) {
    const OperationEvent invoke = call.invoke(context_.lock);
    invoked(invoke, call.role());
    returned(invoke, call.end(context_.lock), call.role());
  }
}

// While the lock rests.

bool OwnedLock::keep(StateWriter& to) {
  if (done()) return false;
  if (searching()) settle();
  forget_unused();
  to(*this);
  return true;
}

void OwnedLock::forget_unused() {
  holds_.forget_unused();
  peaks_.forget_unused();
}

void OwnedLock::restore(StateReader& from) { from(*this); }

}  // namespace picklock
