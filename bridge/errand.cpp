#include "bridge/errand.hpp"

#include <algorithm>

namespace picklock {
Errand* served_by(const ProgramRequest& request, Errand* cause, const std::deque<std::unique_ptr<Errand>>& errands) {
  const auto newest = [&](const auto& fits) -> Errand* {
    const auto found = std::find_if(errands.rbegin(), errands.rend(), [&](const auto& e) { return fits(*e); });
    return found == errands.rend() ? nullptr : found->get();
  };
  // A word that proves a hold tells more than anything else, unless the errand is of that hold already.
  Errand* const owner = newest([&](const Errand& e) { return names(request, e.value); });
  if (owner != nullptr) return cause != nullptr && cause->hold == owner->hold ? cause : owner;
  if (cause != nullptr && (cause->asked || cause->held)) return cause;
  for (const bool asked : {true, false}) {
    const auto is_at_work = [&](const Errand& e) { return asked ? e.asked : e.held; };
    Errand* const named = newest([&](const Errand& e) { return is_at_work(e) && names(request, e.lock); });
    if (named != nullptr) return named;
    if (Errand* const any = newest(is_at_work)) return any;
  }
  return errands.back().get();
}

}  // namespace picklock
