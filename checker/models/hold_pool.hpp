// The holds that a sweep over one lock remembers, each for as long as it is referred to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "checker/block_vector.hpp"
#include "checker/models/model.hpp"
#include "checker/models/owner.hpp"

namespace picklock {

class HoldPool {
 public:
  using Ref = std::uint32_t;
  static constexpr Ref kNone = 0xffffffff;

  struct Hold {
    SeenCall acquire;
    OwnerKey owner = 0;
    std::int64_t nested = 1;   // number of acquires
    Ref below = kNone;         // the owner's hold before this one
    std::uint32_t active = 0;  // place among the holds that last
    std::uint32_t uses = 0;
    std::uint32_t over = kNone;  // place in over_, once a release was invoked
    bool shared = false;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& hold) {
      archive(hold.uses);
      if (hold.uses == 0) return;
      archive(hold.acquire, hold.owner, hold.nested, hold.below, hold.active, hold.over, hold.shared);
    }
  };

  // The new hold has no use yet.
  Ref put(const SeenCall& acquire, OwnerKey owner, bool shared);
  void use(Ref ref) { ++holds_[ref].uses; }
  void drop(Ref ref);

  Hold& operator[](Ref ref) { return holds_[ref]; }
  const Hold& operator[](Ref ref) const { return holds_[ref]; }

  // The release of a hold was invoked, has ended, has failed.
  void release(Ref ref, const SeenCall& invoked);
  void ended(Ref ref, const OperationEvent& end, NameId lock);
  void go_on(Ref ref);
  // None: no release was invoked.
  [[nodiscard]] const SeenCall* release_of(const Hold& hold) const {
    return hold.over == kNone ? nullptr : &over_[hold.over];
  }

  void forget_unused() {  // clears the pool if no hold is left
    if (unused_.size() == holds_.size()) *this = {};
  }

  [[nodiscard]] WitnessHold witness(const Hold& hold, NameId lock) const;
  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.holds_, self.unused_, self.over_, self.unused_over_);
  }
  [[nodiscard]] std::size_t memory() const;

 private:
  BlockVector<Hold> holds_;
  BlockVector<Ref> unused_;
  BlockVector<SeenCall> over_;  // releases of the holds that may be over
  BlockVector<std::uint32_t> unused_over_;
};

}  // namespace picklock
