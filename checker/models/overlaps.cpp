#include "checker/models/overlaps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/models/words.hpp"

namespace picklock {

void Overlaps::holds(OwnerKey owner, const OperationEvent& acquired, bool shared, std::int64_t nested) {
  held_.push_back({owner, acquired, shared, nested});
}

// Do the holds before it leave no room for this one?  Each is counted once.
void Overlaps::look(Held& newest) {
  if (newest.counted || newest.releasing) return;
  std::int64_t together = weight_of(rules_, newest.shared);
  std::string others;
  for (const Held& held : held_) {
    if (&held == &newest) break;
    if (held.releasing) continue;
    together += weight_of(rules_, held.shared);
    others += fmt::format("{}{}, since {}", others.empty() ? "" : "; ", context_.who(held.acquired),
                          context_.when(held.acquired));
  }
  if (together <= rules_.permits) return;
  newest.counted = true;
  found_.add(fmt::format("{} acquired {} at {}, while it was held by {}", context_.who(newest.acquired),
                         lock_name(context_.tables, context_.lock), context_.when(newest.acquired), others));
}

void Overlaps::acquired(OwnerKey owner, const OperationEvent& end, bool shared) {
  const auto own =
      std::find_if(held_.begin(), held_.end(), [&](const Held& h) { return h.owner == owner && !h.releasing; });
  if (rules_.nested > 0 && own != held_.end()) {
    ++own->nested;
    return;
  }
  held_.push_back({owner, end, shared});
  look(held_.back());
}

void Overlaps::release_invoked(OwnerKey owner, const OperationEvent& invoke, LockAction action) {
  const auto own = std::find_if(held_.rbegin(), held_.rend(), [&](const Held& h) {
    return h.owner == owner && !h.releasing && ends(action, h.shared);
  });
  if (own == held_.rend()) return;
  if (--own->nested > 0) return;
  own->releasing = true;
  own->releaser = invoke.process;
}

void Overlaps::release_returned(const OperationEvent& end) {
  const auto own =
      std::find_if(held_.begin(), held_.end(), [&](const Held& h) { return h.releasing && h.releaser == end.process; });
  if (own == held_.end()) return;
  if (end.type != OperationType::fail) {
    held_.erase(own);
    return;
  }
  own->releasing = false;
  own->nested = 1;
  for (auto later = own + 1; later != held_.end(); ++later) look(*later);
}

}  // namespace picklock
