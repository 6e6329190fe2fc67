// All holds of a lock that overlap.  The first two decide the verdict; how many follow shows how often it happens.
//
// The cores are those of owned_lock.hpp, of owners that do one thing at a time.  A hold ends here when its release is
// invoked, and goes on if that fails.  Memory: of the holds that last, and of the overlaps that are listed.
#pragma once

#include <string>
#include <vector>

#include "checker/models/lock_rules.hpp"
#include "checker/models/model.hpp"
#include "checker/models/models.hpp"
#include "checker/models/owner.hpp"

namespace picklock {

class Overlaps {
 public:
  Overlaps(const ModelContext& context, const LockRules& rules) : context_(context), rules_(rules) {}

  // A hold that lasts, as far as that is known by now.
  void holds(OwnerKey owner, const OperationEvent& acquired, bool shared, std::int64_t nested);

  // An acquire succeeded: the hold begins.
  void acquired(OwnerKey owner, const OperationEvent& end, bool shared);
  void release_invoked(OwnerKey owner, const OperationEvent& invoke, LockAction action);
  void release_returned(const OperationEvent& end);

  // Looks whether the newest of the holds overlaps those before it.
  void see_newest() {
    if (!held_.empty()) look(held_.back());
  }

  // The number of overlaps, and the first of them in words.
  [[nodiscard]] const NamedParts& found() const { return found_; }

 private:
  struct Held {
    OwnerKey owner = 0;
    OperationEvent acquired;
    bool shared = false;
    std::int64_t nested = 1;
    bool releasing = false;
    bool counted = false;  // true: it found no room
    std::int32_t releaser = 0;
  };

  void look(Held& newest);

  ModelContext context_;
  LockRules rules_;
  std::vector<Held> held_;  // holds in the order of their acquires
  NamedParts found_;
};

}  // namespace picklock
