// The sweep for locks whose owners count (lock_rules.hpp): one pass, one state.
//
// One state is enough, for this reason.  Let each owner do one thing at a time, and nothing after a crash.  A
// hold then certainly lasts over its core, from the return of its acquire to the invoke of its
// release, so at no instant may the cores weigh more than there are permits.  Conversely, if they
// never do, place every successful acquire at its return and every release that succeeded or
// crashed at its invoke, and leave crashed acquires out: at each acquire exactly the cores count, so
// each is legal, and so is each release, since its owner holds.  Nested acquires neither need nor
// free permits; their number is a matter of their owner alone.  Cores in the order of the returns
// of their acquires are also the only order in which disjoint cores can come, so that the tokens
// of a fenced mutex must grow in this order and in no other.
//
// Whether a release failed is known only when it returns.  Until then the hold counts as ended; if
// the release fails, the hold went on, and its weight is added to what was held since.  For that it
// is enough to know the most that was held since any given instant: the maxima over the suffixes of
// the history, of which at most `permits` differ (for a read-write lock: as many as have held).
//
// A lock may be held when the history begins, by an owner that it does not name (kUnknownFirst).  That owner can only be one
// whose release succeeds though it holds nothing, and whose release was invoked before any other owner's acquire had
// returned: the core of such a hold begins with the history.
//
// An owner that does two things at once, or goes on after a crash, ends this: from then on the
// history goes to OwnerSearch (owner_search.hpp).
//
// Time: O(1) for each event of a mutex or a read-write lock; of a semaphore O(holders) for an acquire while a release is
// open or crashed.  Memory: 24 bytes for each operation that is open or a crashed release, and as many for each owner
// that has one or holds; 112 for each hold, and 72 more while its release is open or crashed.
//
// owned_lock.cpp has the events, owned_lock_search.cpp the way from one state to the configurations of a search and back,
// owned_lock_state.hpp what stays while the lock rests.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checker/block_vector.hpp"
#include "checker/models/hold_pool.hpp"
#include "checker/models/lock_rules.hpp"
#include "checker/models/model.hpp"
#include "checker/models/models.hpp"
#include "checker/models/overlaps.hpp"
#include "checker/models/owner.hpp"
#include "checker/models/owner_search.hpp"
#include "checker/models/peaks.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

// Is the first state of a mutex not known (ModelContext::initial)?  Throws std::invalid_argument if another is asked for.
bool unknown_first(const ModelContext& context);

inline constexpr LockAction kAcquireAndRelease[] = {LockAction::acquire, LockAction::release};
// One permit, acquires and releases: of a mutex, and of those that have more rules.
LockRules mutex_rules(const ModelContext& context);

class OwnedLock final : public Model {
 public:
  OwnedLock(const ModelContext& context, const LockRules& rules) : context_(context), rules_(rules) {}
  OwnedLock(const OwnedLock&) = delete;  // the peaks know the holds and the rules
  OwnedLock& operator=(const OwnedLock&) = delete;

  void invoked(const OperationEvent& invoke, std::size_t role) override;
  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override;
  void outlived(const OperationEvent& crashed, std::size_t role) override;
  [[nodiscard]] bool keep(StateWriter& to) override;
  void restore(StateReader& from) override;
  ModelResult finish(std::uint32_t) override;
  [[nodiscard]] std::size_t memory() const override;

  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self);  // owned_lock_state.hpp
  void forget_unused();                             // runs first, so that a free lock equals its first state

  [[nodiscard]] bool violated() const { return result_.verdict == Verdict::violated; }
  [[nodiscard]] bool done() const { return violated() || (searching() && search_->done()); }
  [[nodiscard]] bool searching() const { return search_ != nullptr; }

 private:
  using HoldRef = HoldPool::Ref;
  using Hold = HoldPool::Hold;
  static constexpr HoldRef kNone = HoldPool::kNone;

  enum class Asked : std::uint8_t { nothing, unowned, outermost, inner };

  struct Owner {
    HoldRef top = kNone;
    std::uint32_t open = 0;        // 1 + the place in open_ of the operation that it waits for
    std::uint32_t crashed_at = 0;  // the invoke of the crashed operation
    bool crashed = false;          // true: a crash is known, for named holds only: the sweep reports processes
    bool credit = false;           // true: the crashed operation may still take effect
    std::uint8_t role = 0;         // role of the crashed operation

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& owner) {
      archive(owner.top, owner.open, owner.crashed_at, owner.crashed, owner.credit, owner.role);
    }
  };

  struct Open {
    OwnerKey owner = 0;
    std::int32_t process = 0;
    std::uint32_t invoked_at = 0;
    HoldRef released = kNone;  // hold that it ends, if it succeeds
    std::uint8_t role = 0;
    Asked asked = Asked::nothing;
    bool early = false;  // true: a release that may end a hold from before the history

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& open) {
      archive(open.owner, open.process, open.invoked_at, open.released, open.role, open.asked, open.early);
    }
  };

  // A release that may not have taken effect yet.
  struct Doubt {
    Open release;
    bool crashed = false;  // true: crashed; false: open
  };

  OwnerKey key_of(const OperationEvent& event, LockAction action);
  [[nodiscard]] LockAction action_of(const Open& open) const { return rules_.actions[open.role]; }
  [[nodiscard]] std::int64_t weight(const Hold& hold) const { return weight_of(rules_, hold.shared); }
  [[nodiscard]] WitnessHold witness(const Hold& hold) const { return holds_.witness(hold, context_.lock); }
  [[nodiscard]] OperationEvent acquired_of(const Hold& hold) const { return hold.acquire.end(context_.lock); }
  void activate(HoldRef ref, Owner& owner);
  void deactivate(HoldRef ref);
  void close(OwnerKey key, Owner& owner);
  void crash(const Open& open, Owner& owner);
  void follow_alias(const OperationEvent& invoke, const OperationEvent& end, LockAction action);
  void forget_alias(const Hold& over);

  void search_if_busy(OwnerKey key);
  void release_invoked(Owner& owner, Open& open, const OperationEvent& invoke);
  void acquired(const OperationEvent& invoke, const OperationEvent& end, OwnerKey key, std::size_t role);
  [[nodiscard]] bool may_be_first(OwnerKey owner) const;
  [[nodiscard]] bool may_end_first(OwnerKey owner) const;
  void nested(HoldRef ref, const OperationEvent& invoke, const OperationEvent& end);
  void release_failed(const Open& open, const OperationEvent& end, Owner& owner);
  void fence(HoldRef ref);

  [[nodiscard]] std::vector<HoldRef> in_order(std::span<const HoldRef> holds) const;  // sorted by their acquires
  [[nodiscard]] std::optional<WitnessHold> newest_holder() const;
  void overlap(HoldRef first, std::span<const HoldRef> others, HoldRef last);
  void see_overlaps(const OperationEvent& invoke, const OperationEvent& event, LockAction action);

  void prune_doubts();
  [[nodiscard]] bool could_last(const Open& release) const;

  void begin_search();
  void leave_to_search();
  [[nodiscard]] std::optional<std::vector<SeenCall>> calls_after_search() const;
  void settle();
  bool undo(const Open& release);
  void start_from(std::span<const Doubt> doubts, std::vector<bool>& undone);
  void start(std::span<const Doubt> doubts, const std::vector<bool>& undone);

  ModelContext context_;
  LockRules rules_;
  SparseMap<OwnerKey, Owner> owners_;
  SparseMap<OwnerKey, HoldId> aliases_;  // the last acquired hold, if it is named and not over; key: process
  bool named_ = false;                   // true: an operation has named its hold
  HoldPool holds_;
  std::vector<HoldRef> active_;
  BlockVector<Open> open_;
  std::size_t releasing_ = 0;  // number of releases of a hold in open_
  std::vector<Open> doubts_;   // crashed releases that need not have taken effect
  std::size_t doubts_kept_ = 16;
  Peaks peaks_{holds_, rules_};
  std::int64_t held_ = 0;
  HoldRef newest_ = kNone;  // newest hold with a token
  bool tokens_ = false;
  // With LockRules::unknown_first: the last owner, the owner before the history, and how often.
  std::optional<OwnerKey> only_, first_;
  bool several_ = false;  // true: more than one owner has acquired it
  std::int64_t first_depth_ = 0;
  bool unsettled_ = false;  // true: a search began while a hold from before the history was possible
  std::unique_ptr<OwnerSearch> search_;
  SparseMap<OwnerKey, SeenCall> searched_;  // a call that crashed during the search; key: process
  ModelResult result_;
  std::unique_ptr<Overlaps> overlaps_;  // exists once the model is violated
};

}  // namespace picklock
