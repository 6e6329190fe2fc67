// The sweep for locks whose owners count (lock_rules.hpp): one pass, one state.
//
// Why one state is enough.  Let each owner do one thing at a time, and nothing after a crash.  A
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
// An owner that does two things at once, or goes on after a crash, ends this: from then on the
// history goes to OwnerSearch (owner_search.hpp).
//
// Time: O(1) for each event of a mutex or a read-write lock; of a semaphore O(holders) for an acquire while a release is
// open or crashed.  Memory: for the operations that are open, the holds, and 40 bytes for each crashed release.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "checker/models/lock_rules.hpp"
#include "checker/models/model.hpp"
#include "checker/models/models.hpp"
#include "checker/models/owner.hpp"
#include "checker/models/owner_search.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

class OwnedLock final : public Model {
 public:
  OwnedLock(const ModelContext& context, const LockRules& rules) : context_(context), rules_(rules) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override;
  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override;
  void outlived(const OperationEvent& crashed, std::size_t role) override;
  [[nodiscard]] bool rest(std::vector<SeenCall>& calls) const override;
  ModelResult finish(std::uint32_t) override;
  [[nodiscard]] std::size_t memory() const override;

  [[nodiscard]] bool violated() const { return result_.verdict == Verdict::violated; }
  [[nodiscard]] bool searching() const { return search_ != nullptr; }

 private:
  using HoldRef = std::uint32_t;
  static constexpr HoldRef kNone = 0xffffffff;

  struct Hold {
    SeenCall acquire;
    OwnerKey owner = 0;
    std::int64_t nested = 1;   // acquires
    HoldRef below = kNone;     // the owner's hold before this one
    std::uint32_t active = 0;  // its place in active_
    std::uint32_t uses = 0;
    std::uint32_t over = kNone;  // its place in over_, once a release was invoked
    bool shared = false;
  };

  // How a hold ended, kept while anything refers to it.
  struct Over {
    OperationEvent release;
    std::optional<OperationEvent> ended;
  };

  enum class Asked : std::uint8_t { nothing, unowned, outermost, inner };

  struct Owner {
    HoldRef top = kNone;
    std::uint32_t open = 0;                   // 1 + the place in open_ of what it waits for
    bool crashed = false;                     // known only of named holds: the sweep reports processes
    bool credit = false;                      // the crashed operation may still take effect
    LockAction action = LockAction::acquire;  // of the crashed operation
  };

  struct Open {
    OperationEvent invoke;
    OwnerKey owner = 0;
    LockAction action = LockAction::acquire;
    Asked asked = Asked::nothing;
    HoldRef released = kNone;  // the hold that it ends, if all goes well
  };

  // A release that may not have taken effect yet.
  struct Doubt {
    Open release;
    bool crashed = false;  // otherwise open
  };

  // The most that was held after some instant, and who did.
  struct Peak {
    std::uint32_t index = 0;  // of the acquire that made it
    std::int64_t weight = 0;
    std::vector<HoldRef> holds;
  };

  OwnerKey key_of(const OperationEvent& event, LockAction action);
  HoldRef put(const OperationEvent& invoke, const OperationEvent& end, OwnerKey key, std::size_t role);
  void drop(HoldRef ref);
  void end(Hold& hold, const OperationEvent& release);
  void go_on(Hold& hold);
  [[nodiscard]] std::int64_t weight(const Hold& hold) const { return weight_of(rules_, hold.shared); }
  [[nodiscard]] WitnessHold witness(const Hold& hold) const;
  [[nodiscard]] OperationEvent acquired_of(const Hold& hold) const { return hold.acquire.end(context_.lock); }
  void activate(HoldRef ref, Owner& owner);
  void deactivate(HoldRef ref);
  void close(OwnerKey key, Owner& owner);
  void crash(const Open& open, Owner& owner);
  void forget_alias(const Hold& over);

  void release_invoked(Owner& owner, Open& open);
  void acquired(const OperationEvent& invoke, const OperationEvent& end, OwnerKey key, std::size_t role);
  void nested(HoldRef ref, const OperationEvent& invoke, const OperationEvent& end);
  void release_failed(const Open& open, const OperationEvent& end, Owner& owner);
  void fence(HoldRef ref);

  void raise(std::uint32_t index, HoldRef ref);
  [[nodiscard]] std::size_t peak_since(std::uint32_t index) const;
  void lift(std::size_t peak, HoldRef ref);

  [[nodiscard]] std::vector<HoldRef> in_order(std::span<const HoldRef> holds) const;  // of their acquires
  [[nodiscard]] std::optional<WitnessHold> newest_holder() const;
  void overlap(HoldRef first, std::span<const HoldRef> others, HoldRef last);
  void begin_search();
  bool undo(const Open& release);
  void start_from(std::span<const Doubt> doubts, std::vector<bool>& undone);
  void start(std::span<const Doubt> doubts, const std::vector<bool>& undone);
  void prune_doubts();
  [[nodiscard]] std::size_t releasing_role(bool shared) const;
  [[nodiscard]] bool could_last(const Open& release) const;

  ModelContext context_;
  LockRules rules_;
  SparseMap<OwnerKey, Owner> owners_;
  SparseMap<OwnerKey, HoldId>
      aliases_;  // by process: the hold that it acquired last, if that was named and is not over
  bool aliased_ = false;
  std::deque<Hold> holds_;  // a pool
  std::vector<HoldRef> unused_;
  std::vector<Over> over_;  // another
  std::vector<std::uint32_t> unused_over_;
  std::vector<HoldRef> active_;
  std::vector<Open> open_;
  std::size_t releasing_ = 0;  // of open_: releases of a hold
  std::vector<Open> doubts_;   // crashed releases that need not have taken effect
  std::size_t doubts_kept_ = 16;
  std::vector<Peak> peaks_;  // the first peaks_count_: later ones are lower
  std::size_t peaks_count_ = 0;
  std::int64_t held_ = 0;
  HoldRef newest_ = kNone;  // of those with a token
  bool tokens_ = false;
  std::unique_ptr<OwnerSearch> search_;
  std::unordered_set<OwnerKey> searched_;  // processes that crashed while the search looked on
  ModelResult result_;
};

}  // namespace picklock
