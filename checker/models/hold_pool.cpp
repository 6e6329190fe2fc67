#include "checker/models/hold_pool.hpp"

namespace picklock {

HoldPool::Ref HoldPool::put(const SeenCall& acquire, OwnerKey owner, bool shared) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Ref>(holds_.size()));
    holds_.push_back({});
  }
  const Ref ref = unused_.back();
  unused_.pop_back();
  Hold& hold = holds_[ref];
  hold.acquire = acquire;
  hold.owner = owner;
  hold.nested = 1;
  hold.shared = shared;
  return ref;
}

void HoldPool::drop(Ref ref) {
  if (--holds_[ref].uses > 0) return;
  go_on(ref);
  unused_.push_back(ref);
}

void HoldPool::release(Ref ref, const SeenCall& invoked) {
  if (unused_over_.empty()) {
    unused_over_.push_back(static_cast<std::uint32_t>(over_.size()));
    over_.push_back({});
  }
  holds_[ref].over = unused_over_.back();
  unused_over_.pop_back();
  over_[holds_[ref].over] = invoked;
}

void HoldPool::ended(Ref ref, const OperationEvent& end, NameId lock) {
  SeenCall& release = over_[holds_[ref].over];
  release = SeenCall(release.invoke(lock), end, release.role());
}

void HoldPool::go_on(Ref ref) {
  Hold& hold = holds_[ref];
  if (hold.over != kNone) unused_over_.push_back(hold.over);
  hold.over = kNone;
}

WitnessHold HoldPool::witness(const Hold& hold, NameId lock) const {
  WitnessHold events{hold.acquire.invoke(lock), hold.acquire.end(lock), {}, {}};
  if (const SeenCall* const release = release_of(hold)) {
    events.release = release->invoke(lock);
    if (!release->open()) events.release_ended = release->end(lock);
  }
  return events;
}

std::size_t HoldPool::memory() const {
  return holds_.memory() + unused_.memory() + over_.memory() + unused_over_.memory();
}

}  // namespace picklock
